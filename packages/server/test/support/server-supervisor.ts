/**
 * Owns a private server: stops it and removes its folder when the process that started this one is gone, however
 * it went. The other end of standard input closes even after SIGKILL, which no signal handler would see.
 * Arguments: the folder to remove, the uid and gid to run as (-1: one's own), the signal that stops the server without
 * regard to its data, the program, its arguments.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder, uid, gid, stopSignal, program, ...programArguments] = process.argv.slice(2);
if (folder === undefined || program === undefined) throw new Error('server-supervisor: arguments are missing');

const identity = Number(uid) === -1 ? {} : { uid: Number(uid), gid: Number(gid) };
const server = spawn(program, programArguments, { ...identity, cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });

let isStopping = false;
function stop(): void {
  isStopping = true;
  server.kill(stopSignal as NodeJS.Signals);
}

server.on('exit', (code) => {
  if (isStopping) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(isStopping ? 0 : (code ?? 1));
});
process.stdin.on('end', stop).on('error', stop).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
