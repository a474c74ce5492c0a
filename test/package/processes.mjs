import { spawn } from 'node:child_process';

const isWindows = process.platform === 'win32';
const limitMs = 10 * 60_000;
const running = new Set();

/** Resolves with what the program printed; rejects with it where the program fails or takes too long. */
export function run(folder, program, ...args) {
  return new Promise((resolve, reject) => {
    // A process group of its own, so that what npm starts ends with it.
    const child = spawn(program, args, {
      cwd: folder,
      env: ownEnvironment(),
      shell: isWindows && program !== 'node',
      detached: !isWindows,
    });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    const timer = setTimeout(() => {
      output += `\nstopped after ${limitMs / 60_000} minutes`;
      stop(child);
    }, limitMs);
    const finish = (error) => {
      clearTimeout(timer);
      running.delete(child);
      if (error) reject(error);
      else resolve(output);
    };
    child.once('error', finish);
    child.once('close', (code) =>
      finish(
        code === 0 ? undefined : new Error(`${program} ${args.join(' ')}: exit code ${code}\n${output}`),
      ),
    );
  });
}

export function npm(folder, command, ...args) {
  return run(folder, 'npm', command, '--no-audit', '--no-fund', ...args);
}

/**
 * Compiles without `skipLibCheck` and without output. Only what is said about this package and about the application
 * counts: other packages may have faults of their own.
 */
export async function checkTypes(folder, ...options) {
  const compiler = [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--pretty',
    'false',
  ];
  const output = await run(folder, 'node', ...compiler, ...options).catch((error) => String(error.message));
  const errors = output.split('\n').filter((line) => /error TS\d+:/.test(line));
  const ours = errors.filter((line) => !/^(\.\.\/)*node_modules\/(?!nestjs-jobs\/)/.test(line));
  if (ours.length > 0) throw new Error(ours.join('\n'));
}

export async function stopAll() {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
  running.forEach(stop);
  await Promise.all(ends);
}

function stop(child) {
  try {
    if (isWindows) child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Without what the npm that runs this script says about this repository. */
function ownEnvironment() {
  const about = /^(npm_(package|lifecycle)_.*|npm_config_local_prefix|INIT_CWD|NODE_ENV|NODE_OPTIONS)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !about.test(name)));
}
