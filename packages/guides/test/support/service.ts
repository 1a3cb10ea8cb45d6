import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The root of the repository. */
export const repositoryRoot = resolve(import.meta.dirname, '..', '..', '..', '..');
/** The file that runs every command of the service. */
export const launcher = join(repositoryRoot, 'packages', 'server', 'bin', 'licensing.mjs');
/** What programs of Node share, which halves the time of their start. */
export const compileCache = join(tmpdir(), 'node-compile-cache');
const startsWithinMs = 90_000;

/** What runs the service. */
export interface Program {
  readonly command: readonly [string, ...string[]];
  /** The folder in which it is run. */
  readonly folder: string;
  readonly startsWithinMs: number;
}

const ofRepository: Program = { command: [process.execPath, launcher, 'serve', '--demo'], folder: '.', startsWithinMs };

/** The demo's accounts, as the service stores them in `demo.json`. */
export interface Demo {
  readonly admin: { readonly email: string; readonly password: string };
  readonly user: { readonly email: string; readonly password: string };
  readonly tenant: { readonly id: string; readonly licenseKey: string };
  readonly apiKey: string;
}

/** A running service with the data of the demo, as `npm start` runs it. */
export interface Service {
  readonly url: string;
  readonly demo: Demo;
  /** Where its database is. */
  readonly dataDir: string;
  /** What it has printed. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * Starts the service with new data and the given variables. It may deliver webhooks to this machine, where the snippets
 * receive them.
 */
export async function startService(
  env: Readonly<Record<string, string>> = {},
  program = ofRepository,
): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'licensing-guides-'));
  const [command, ...args] = program.command;
  const child = spawn(command, args, {
    cwd: program.folder,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '0',
      NODE_COMPILE_CACHE: compileCache,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const ended = once(child, 'exit');
  const url = await addressOf(child, () => printed, program.startsWithinMs);
  return {
    url,
    dataDir,
    demo: JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')),
    output: () => printed,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The service must know its port before it starts: its address is the issuer of what it signs. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function addressOf(child: ChildProcess, printed: () => string, withinMs: number): Promise<string> {
  return new Promise((done, reject) => {
    const fail = (why: string) => reject(new Error(`The service ${why}:\n${printed()}`));
    const timer = setTimeout(() => fail('did not start in time'), withinMs);
    const look = () => {
      const address = /service runs on (http:\/\/[^\s,]+)[\s\S]*Stop with/.exec(printed())?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      done(address);
    };
    child.stdout?.on('data', look);
    child.once('exit', () => {
      clearTimeout(timer);
      fail('ended');
    });
  });
}
