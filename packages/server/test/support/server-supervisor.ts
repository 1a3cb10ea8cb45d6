/**
 * Runs a private server, and stops it and removes its folder when the parent process ends for any reason. The end of
 * standard input reports that: it is closed even after SIGKILL, which the parent's signal handlers cannot catch.
 * Arguments: the folder to remove, the uid and gid of the server (-1: this process's own), the signal that stops the
 * server immediately, the program and its arguments.
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
