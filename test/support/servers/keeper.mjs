// Runs a server for as long as whoever started it lives: when our standard input ends, so does the server.
// However a test run ends, by failure, Ctrl-C or kill, nothing is left behind.
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
process.stdout.write(`${server.pid}\n`);
const end = () => server.kill('SIGKILL');
process.stdin.on('end', end).on('close', end).resume();
process.on('SIGTERM', end).on('SIGINT', end);
server.on('exit', (code) => process.exit(code ?? 0));
