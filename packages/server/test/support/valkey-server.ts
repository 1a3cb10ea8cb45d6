import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { freePort } from './free-port.ts';

/** A private Valkey (or Redis) on loopback. */
export interface ValkeyServer {
  /** `redis://` URL of database 0, with the password. */
  readonly url: string;
  /** Sends SIGKILL; all data is lost. */
  kill(): Promise<void>;
  /** Starts the server again on the same port after `kill`. */
  restart(): Promise<void>;
  /** Sends SIGSTOP: the server accepts connections and does not respond. */
  pause(): void;
  /** Sends SIGCONT: the server continues. */
  resume(): void;
  stop(): Promise<void>;
}

const startTimeoutMs = 10_000;
const pollIntervalMs = 10;

/** Without persistence, and with many databases, so that each service under test has its own. */
const settings = ['--save', '', '--appendonly', 'no', '--databases', '10000', '--bind', '127.0.0.1'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findProgram(): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];
  const programs = ['valkey-server', 'redis-server'].flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = programs.find(isExecutable);
  if (found === undefined) {
    throw new Error('Neither Valkey nor Redis is installed: run `sudo apt-get install valkey-server` or redis-server.');
  }
  return found;
}

/** Sends one command over a new connection. */
export async function onValkey(url: string, command: readonly string[]): Promise<unknown> {
  const client = await createClient({ url }).connect();
  try {
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}

/** Returns the URL of an unused database of a server. */
export async function newValkeyDatabase(serverUrl: string): Promise<string> {
  return `${serverUrl}/${await onValkey(serverUrl, ['INCR', 'databases'])}`;
}

async function isReady(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  try {
    await client.connect();
    client.destroy();
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a private server on a free port of 127.0.0.1, in a temporary folder, from an installed program. `stop()` stops
 * it; if this process ends without calling `stop()`, the supervisor stops it. `moreSettings` are arguments of the
 * program.
 */
export async function startValkey(moreSettings: readonly string[] = []): Promise<ValkeyServer> {
  const program = findProgram();
  const folder = mkdtempSync(join(tmpdir(), 'licensing-valkey-'));
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const pidFile = join(folder, 'pid');
  // In a file, because every user of the machine can read the arguments of a process.
  writeFileSync(join(folder, 'valkey.conf'), `requirepass ${password}\n`, { mode: 0o600 });
  let supervisor: ChildProcess | undefined;

  function spawnServer(): ChildProcess {
    const log = openSync(join(folder, 'log'), 'a');
    const location = ['--port', String(port), '--dir', folder, '--pidfile', pidFile];
    return spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'server-supervisor.ts'),
        ...[folder, '-1', '-1', 'SIGKILL', program],
        ...[join(folder, 'valkey.conf'), ...settings, ...location, ...moreSettings],
      ],
      { detached: true, stdio: ['pipe', log, log] },
    );
  }

  async function start(): Promise<void> {
    const started = spawnServer();
    supervisor = started;
    const deadlineMs = performance.now() + startTimeoutMs;
    while (started.exitCode === null && performance.now() < deadlineMs) {
      if (await isReady(url)) return;
      await sleep(pollIntervalMs);
    }
    throw new Error(`Valkey did not start. Its log: ${readFileSync(join(folder, 'log'), 'utf8').trim()}`);
  }

  const signal = (name: NodeJS.Signals) => process.kill(Number(readFileSync(pidFile, 'utf8')), name);

  const server: ValkeyServer = {
    url,
    async kill() {
      if (supervisor === undefined || supervisor.exitCode !== null) return;
      const exited = once(supervisor, 'exit');
      signal('SIGKILL');
      await exited;
    },
    restart: start,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async stop() {
      if (supervisor !== undefined && supervisor.exitCode === null) {
        const exited = once(supervisor, 'exit');
        supervisor.stdin?.end();
        await exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await start();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
