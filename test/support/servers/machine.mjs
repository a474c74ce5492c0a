// What servers need of the machine: programs, ports, folders.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const keeper = fileURLToPath(new URL('keeper.mjs', import.meta.url));

/** The first of these programs that is on the machine; else its Debian package is installed; else it says what to type. */
export function findProgram(programs, debianPackage) {
  const found = () => programs.find((program) => spawnSync('which', [program]).status === 0);
  if (found()) return found();
  const isRoot = process.getuid?.() === 0;
  if (isRoot && spawnSync('which', ['apt-get']).status === 0) {
    console.log(`installing ${debianPackage} …`);
    // The run level keeps the package from starting a server of its own.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debianPackage], {
      stdio: 'inherit',
      env,
    });
    if (found()) return found();
  }
  throw new Error(
    `the tests need ${programs.join(' or ')}, which is not on this machine: type \`sudo apt-get install -y ${debianPackage}\``,
  );
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

/**
 * Starts a program that ends with this process, in a folder of its own that goes with it. `argsFor` gets the folder; what a
 * program finds there after a restart is what it left.
 */
export function startServer(program, argsFor) {
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-jobs-'));
  let run = begin(program, argsFor(folder), folder);
  return {
    folder,
    /** Sends a signal to the program itself, and waits for its end where the signal ends it. */
    async kill(signal) {
      process.kill(await run.pid, signal);
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await run.ended;
    },
    restart() {
      run = begin(program, argsFor(folder), folder);
    },
    async stop() {
      run.end();
      await run.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function begin(program, args, folder) {
  const child = spawn(process.execPath, [keeper, program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: folder,
  });
  return {
    end: () => child.exitCode === null && child.stdin.end(),
    ended: new Promise((resolve) => child.once('exit', resolve)),
    pid: new Promise((resolve) => child.stdout.once('data', (line) => resolve(Number(line)))),
  };
}
