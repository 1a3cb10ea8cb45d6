import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { commands } from '../../src/commands/all.ts';
import { runCommandLine } from '../../src/commands/command-line.ts';

const binary = fileURLToPath(new URL('../../bin/licensing.mjs', import.meta.url));
const startsWithinMs = 45_000;

/** What a command wrote and what it exited with. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real program in a process of its own; only `env` and the PATH reach it. */
function spawnLicensing(args: readonly string[], env: NodeJS.ProcessEnv, node = process.execPath): ChildProcess {
  return spawn(node, [binary, ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  return output;
}

interface Terminal {
  /** What is typed. */
  readonly stdin?: string;
  readonly isInteractive?: boolean;
}

/**
 * Runs one command to its end in this process, on databases that it opens itself: what a process of its own would do,
 * without the second that starting one takes.
 */
export async function licensing(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { stdin = '', isInteractive = false }: Terminal = {},
): Promise<Finished> {
  const written = { stdout: '', stderr: '' };
  const code = await runCommandLine(commands, args, {
    env,
    stdin: Readable.from([stdin]),
    isInteractive,
    print: (line) => {
      written.stdout += `${line}\n`;
    },
    note: (line) => {
      written.stderr += `${line}\n`;
    },
    progress: () => undefined,
  });
  return { code, ...written };
}

/** Runs one command to its end in a process of its own. */
export async function licensingProcess(args: readonly string[], env: NodeJS.ProcessEnv, stdin = ''): Promise<Finished> {
  const child = spawnLicensing(args, env);
  const output = collect(child);
  child.stdin?.end(stdin);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** A `serve` that answers. */
export interface Served {
  readonly address: string;
  readonly output: { readonly stdout: string; readonly stderr: string };
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

/** Starts `serve`, with the launcher on `node`, and waits until it says where; it is stopped when the test is over. */
export async function startServe(args: readonly string[], env: NodeJS.ProcessEnv, node?: string): Promise<Served> {
  const child = spawnLicensing(['serve', ...args], env, node);
  const output = collect(child);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const address = await firstMatch(child, output, /(?:Serving on|service runs on) (http:\/\/[^\s,]+)/);
  return { address, output, signal: (name) => child.kill(name), ended };
}

function firstMatch(child: ChildProcess, output: Omit<Finished, 'code'>, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`serve ${why}:\n${output.stdout}\n${output.stderr}`));
    const timer = setTimeout(() => fail('did not start in time'), startsWithinMs);
    const look = () => {
      const found = pattern.exec(output.stdout + output.stderr)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('close', () => {
      clearTimeout(timer);
      fail('ended');
    });
  });
}

/** What a printed curl line would send, sent. */
export async function runCurlLine(line: string): Promise<{ status: number; body: unknown }> {
  const url = /https?:\/\/\S+/.exec(line)?.[0] ?? '';
  const headers = [...line.matchAll(/-H '([^:']+): ([^']*)'/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  const body = /-d '([^']*)'/.exec(line)?.[1] ?? '';
  const response = await fetch(url, { method: 'POST', headers: Object.fromEntries(headers), body });
  return { status: response.status, body: await response.json() };
}

/** The line of an output that contains a text. */
export function lineWith(output: string, text: string): string {
  const line = output.split('\n').find((candidate) => candidate.includes(text));
  if (line === undefined) throw new Error(`No line contains ${text}:\n${output}`);
  return line;
}
