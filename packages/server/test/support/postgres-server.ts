import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

export interface PostgresServer {
  /** `postgresql://` URL of the superuser; the database is `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
  /** Shuts the server down and keeps its data. `fast`: a regular shutdown. `immediate`: as in a crash. */
  halt(how: 'fast' | 'immediate'): Promise<void>;
  /** Starts the server again after `halt`, at the same URL. */
  start(): Promise<void>;
}

/** The user that PostgreSQL runs as, because it refuses to run as root. Null: the user that runs the tests. */
type Identity = { readonly uid: number; readonly gid: number } | null;

const startTimeoutMs = 30_000;
const pollIntervalMs = 25;
const debianRoot = '/usr/lib/postgresql';

const settings = { listen_addresses: '127.0.0.1', max_connections: '400', jit: 'off', log_min_messages: 'fatal' };

/** Settings for speed: test data is discarded, so it need not survive a crash. */
const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '2GB',
  // It would scan the databases of all suites. A suite that needs statistics runs ANALYZE.
  autovacuum: 'off',
  // With SCRAM, each login costs both sides 4,096 hash iterations.
  password_encryption: 'md5',
};

interface PostgresServerOptions {
  /** Uses PostgreSQL's default durability, which survives a power failure, to measure writes. */
  readonly durable?: boolean;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the folder of PostgreSQL's programs: of Debian's newest version, else the first in PATH. */
export function findBinaries(): string {
  let versions: string[] = [];
  try {
    versions = readdirSync(debianRoot).sort((left, right) => Number(right) - Number(left));
  } catch {
    // Not a Debian system, or nothing is installed.
  }
  const folders = versions.map((version) => join(debianRoot, version, 'bin'));
  folders.push(...(process.env['PATH'] ?? '').split(delimiter));
  const programs = ['initdb', 'postgres'];
  const found = folders.find((folder) => programs.every((program) => isExecutable(join(folder, program))));
  if (found === undefined) {
    throw new Error(
      'PostgreSQL is not installed: run `sudo apt-get install postgresql`, or add the folder of initdb to PATH.',
    );
  }
  return found;
}

/** Returns the user `postgres` if this process is root, else null. PostgreSQL and PgBouncer refuse to run as root. */
export function serverIdentity(): Identity {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch (cause) {
    throw new Error(
      'PostgreSQL refuses to run as root, and there is no user `postgres`: create that user, or run as another user.',
      {
        cause,
      },
    );
  }
}

function createCluster(binaries: string, folder: string, identity: Identity, password: string): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (identity !== null) for (const path of [folder, passwordFile]) chownSync(path, identity.uid, identity.gid);
  const options = ['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions', '--auth=md5'];
  const login = ['--username=postgres', `--pwfile=${passwordFile}`];
  execFileSync(join(binaries, 'initdb'), ['-D', join(folder, 'data'), ...options, ...login], {
    ...identity,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function spawnServer(
  binaries: string,
  folder: string,
  identity: Identity,
  port: number,
  durable: boolean,
): ChildProcess {
  const flags = Object.entries(durable ? settings : { ...settings, ...fastSettings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const log = openSync(join(folder, 'log'), 'a');
  return spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'server-supervisor.ts'),
      folder,
      String(identity?.uid ?? -1),
      String(identity?.gid ?? -1),
      // PostgreSQL's immediate shutdown.
      'SIGQUIT',
      join(binaries, 'postgres'),
      ...['-D', join(folder, 'data'), '-k', folder, '-p', String(port), ...flags],
    ],
    // Detached, so that Ctrl-C does not signal it: the server stops only when its standard input closes.
    { detached: true, stdio: ['pipe', log, log] },
  );
}

async function isReady(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function waitUntilReady(url: string, supervisor: ChildProcess, folder: string): Promise<void> {
  const deadlineMs = performance.now() + startTimeoutMs;
  while (supervisor.exitCode === null && performance.now() < deadlineMs) {
    if (await isReady(url)) return;
    await sleep(pollIntervalMs);
  }
  const log = readFileSync(join(folder, 'log'), 'utf8').trim();
  throw new Error(`PostgreSQL did not respond within ${startTimeoutMs / 1000} s. Its log: ${log || '(empty)'}`);
}

/**
 * Starts a private PostgreSQL on a free port of 127.0.0.1, in a temporary folder, from installed binaries. `stop()`
 * stops it; if this process ends without calling `stop()`, the supervisor stops it.
 */
export async function startPostgres({ durable = false }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const binaries = findBinaries();
  const identity = serverIdentity();
  const folder = mkdtempSync(join(tmpdir(), 'licensing-postgres-'));
  const password = randomBytes(12).toString('hex');
  let supervisor: ChildProcess | undefined;

  const stop = async () => {
    if (supervisor !== undefined && supervisor.exitCode === null) {
      const exited = once(supervisor, 'exit');
      supervisor.stdin?.end();
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    createCluster(binaries, folder, identity, password);
    const port = await freePort();
    const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
    const start = async () => {
      supervisor = spawnServer(binaries, folder, identity, port, durable);
      await waitUntilReady(url, supervisor, folder);
    };
    await start();
    const halt = async (how: 'fast' | 'immediate') => {
      if (supervisor === undefined || supervisor.exitCode !== null) return;
      const exited = once(supervisor, 'exit');
      const [pid] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
      // https://www.postgresql.org/docs/current/server-shutdown.html
      process.kill(Number(pid), how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await exited;
    };
    return { url, stop, halt, start };
  } catch (error) {
    await stop();
    throw error;
  }
}
