// Runs a server for as long as whoever started it lives: when our standard input ends, so does the server, and its folder
// goes. However a test run ends, by failure, Ctrl-C or kill, nothing is left behind.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const { program, args, owner, folder, endSignal } = JSON.parse(process.argv[2]);
// Longer than any server here needs for its orderly end.
const patienceMs = 10_000;

const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...owner });
process.stdout.write(`${server.pid}\n`);
let isOver = false;
const end = () => {
  if (isOver) return;
  isOver = true;
  server.kill(endSignal);
  setTimeout(() => server.kill('SIGKILL'), patienceMs).unref();
};
process.stdin.on('end', end).on('close', end).resume();
process.on('SIGTERM', end).on('SIGINT', end);
server.on('exit', (code) => {
  // A server that ended by itself, or was killed, may be started again with what it left.
  if (isOver) rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 0);
});
