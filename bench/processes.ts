import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Site } from './site.ts';

/** A server in a separate process. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** The command line of an installation of the service, and the Node binary that runs it. */
export interface Program {
  readonly binary: string;
  readonly file: string;
}

/** Returns the program of a checkout: the bundle, as in production, unless the sources have changed. */
export function programOf(checkout: string): Program {
  return {
    binary: join(checkout, 'node_modules', '.bin', 'node'),
    file: join(checkout, 'packages', 'server', 'bin', 'licensing.mjs'),
  };
}

const ownProgram = programOf(join(import.meta.dirname, '..'));

/** Starts `licensing serve` on a site. Its log goes to a file, like a journal. */
export async function startService(
  site: Site,
  env: NodeJS.ProcessEnv = {},
  { binary, file } = ownProgram,
): Promise<ServerProcess> {
  const log = openSync(join(site.dataDir, 'serve.log'), 'a');
  const child = spawn(binary, [file, 'serve'], {
    env: { ...process.env, ...site.env, PORT: '0', ...env },
    stdio: ['ignore', log, 'pipe'],
  });
  closeSync(log);
  return started(child);
}

/** Starts a server of `servers/` and writes `setup` to its standard input. */
export function startFloor(name: string, setup: object): Promise<ServerProcess> {
  return startPeer(join(import.meta.dirname, 'servers', `${name}.ts`), setup);
}

/** Starts a server from its file and writes `setup` to its standard input. */
export async function startPeer(file: string, setup: object): Promise<ServerProcess> {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin?.end(JSON.stringify(setup));
  return started(child);
}

/** Reads the setup of a floor from standard input. */
export async function readSetup<Setup>(): Promise<Setup> {
  return JSON.parse(await text(process.stdin));
}

const running = new Set<ChildProcess>();
// If a benchmark fails.
process.once('exit', () => {
  for (const child of running) child.kill();
});

/** Every server writes `Serving on http://…:port` to standard error once it listens. */
async function started(child: ChildProcess): Promise<ServerProcess> {
  const { pid, stderr } = child;
  if (pid === undefined || stderr === null) throw new Error('A server did not start.');
  running.add(child);
  const lines: string[] = [];
  for await (const line of createInterface(stderr)) {
    const port = /^Serving on http:\/\/.*:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) return { pid, port: Number(port), stop: () => stop(child) };
    lines.push(line);
  }
  throw new Error(`A server ended before it listened:\n${lines.join('\n')}`);
}

async function stop(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

const ticksPerSecond = 100;

/** Returns the CPU time that a process has used so far, in seconds (Linux: proc(5), fields 14 and 15 of `stat`). */
export function cpuSeconds(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '');
  const fields = afterName.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Returns the resident memory of a process, the pages of files that it maps included (proc(5), `status`). */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
