// What servers need of the machine: programs, ports, folders.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const keeper = fileURLToPath(new URL('keeper.mjs', import.meta.url));

/** The first of these programs that is on the machine; else its Debian package is installed; else it says what to type. */
export function findProgram(programs, debianPackage) {
  const isThere = (program) => spawnSync('which', [program]).status === 0;
  return findOrInstall(
    () => programs.find(isThere),
    programs.join(' or '),
    () => install(debianPackage),
    debianPackage,
  );
}

/** What `find` gives; else what it gives after `install`, where this process may; else it says what to type. */
export function findOrInstall(find, what, install, debianPackage) {
  const found = find();
  if (found) return found;
  const mayInstall = process.getuid?.() === 0 && spawnSync('which', ['apt-get']).status === 0;
  if (mayInstall) {
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    install();
    const installed = find();
    if (installed) return installed;
  }
  throw new Error(
    `the tests need ${what}, which is not on this machine: type \`sudo apt-get install -y ${debianPackage}\``,
  );
}

export function install(debianPackage) {
  console.log(`installing ${debianPackage} …`);
  // The run level keeps the package from starting a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debianPackage], {
    stdio: 'inherit',
    env,
  });
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .on('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
  });
}

const endsAny = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT']);

/**
 * Starts a program that ends with this process, in a folder of its own that goes with it. `argsFor` gets the folder; what a
 * program finds there after a restart is what it left. It runs as the `owner` where one is given, and gets `endSignal` as its end.
 * The folder is made in `place`.
 */
export function startServer(program, argsFor, { owner, endSignal = 'SIGKILL', place = tmpdir() } = {}) {
  const folder = mkdtempSync(join(place, 'nestjs-jobs-'));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const begin = () => keep({ program, args: argsFor(folder), owner, folder, endSignal });
  let run = begin();
  return {
    folder,
    /** Resolves when the program of now has ended. */
    get ended() {
      return run.ended;
    },
    /** Sends a signal to the program itself, and waits for its end where the signal ends it. */
    async kill(signal) {
      process.kill(await run.pid, signal);
      if (endsAny.has(signal)) await run.ended;
    },
    restart() {
      run = begin();
    },
    async stop() {
      run.end();
      await run.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function keep(server) {
  const child = spawn(process.execPath, [keeper, JSON.stringify(server)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: server.folder,
  });
  return {
    end: () => child.exitCode === null && child.stdin.end(),
    ended: new Promise((resolve) => child.once('exit', resolve)),
    pid: new Promise((resolve) => child.stdout.once('data', (line) => resolve(Number(line)))),
  };
}
