import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { commands } from '../../src/commands/all.ts';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { checksResponses } from '../support/response-checks.ts';

const binary = fileURLToPath(new URL('../../bin/licensing.mjs', import.meta.url));
const startsWithinMs = 150_000;

/** The output and the exit code of a command. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the real program in its own process, with only `env` and the PATH as its environment. */
function spawnLicensing(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  node = process.execPath,
  launcher = binary,
): ChildProcess {
  return spawn(node, [launcher, ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' });
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
  /** The standard input. */
  readonly stdin?: string;
  readonly isInteractive?: boolean;
}

/**
 * Runs one command to its end in this process, with databases that it opens itself. It behaves like `licensingProcess`,
 * but saves the second that a process takes to start.
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

/** Runs one command to its end in its own process. */
export async function licensingProcess(args: readonly string[], env: NodeJS.ProcessEnv, stdin = ''): Promise<Finished> {
  const child = spawnLicensing(args, env);
  const output = collect(child);
  child.stdin?.end(stdin);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** A running `serve` process. */
export interface Served {
  readonly address: string;
  readonly output: { readonly stdout: string; readonly stderr: string };
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** Resolves with the exit code when the process has ended. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts `serve`, with the launcher on `node`, and waits until it prints its address. It stops after the test. `launcher`
 * belongs to another installation.
 */
export async function startServe(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  node?: string,
  launcher?: string,
): Promise<Served> {
  // Another version of Node may not run TypeScript.
  const checks = node === undefined ? { NODE_OPTIONS: checksResponses } : {};
  const child = spawnLicensing(['serve', ...args], { ...checks, DRAIN_SECONDS: '0', ...env }, node, launcher);
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

/** Sends the request of a printed curl command. */
export async function runCurlLine(line: string): Promise<{ status: number; body: unknown }> {
  const url = /https?:\/\/\S+/.exec(line)?.[0] ?? '';
  const headers = [...line.matchAll(/-H '([^:']+): ([^']*)'/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  const body = /-d '([^']*)'/.exec(line)?.[1] ?? '';
  const response = await fetch(url, { method: 'POST', headers: Object.fromEntries(headers), body });
  return { status: response.status, body: await response.json() };
}

/** Logs in with an address and a password that the program printed, and returns the token. */
export async function logInAsPrinted(served: Served, ability: 'tenant' | 'admin'): Promise<string> {
  const { stdout } = served.output;
  const line = lineWith(stdout, ability === 'tenant' ? 'Log in as' : 'administration ');
  const [, email, password] = / as (\S+), password (\S+)$/.exec(line) ?? [];
  const body = JSON.stringify({ email, password, ability });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${served.address}/api/auth/login`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`${line} does not log in: ${await response.text()}`);
  return ((await response.json()) as { data: { access_token: string } }).data.access_token;
}

/** Returns the first line of an output that contains a text; throws when there is none. */
export function lineWith(output: string, text: string): string {
  const line = output.split('\n').find((candidate) => candidate.includes(text));
  if (line === undefined) throw new Error(`No line contains ${text}:\n${output}`);
  return line;
}
