import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { serverIdentity } from './postgres-server.ts';

/** A PgBouncer in front of a PostgreSQL server. */
export interface PgBouncer {
  /** Returns the URL of the same database and role through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

const startTimeoutMs = 10_000;
const pollIntervalMs = 25;
const program = '/usr/sbin/pgbouncer';

/**
 * Returns the strictest configuration: with transaction pooling each transaction may use another session, and PgBouncer
 * refuses startup parameters. Each database has two sessions, so that clients share them. PgBouncer queries the server
 * for the passwords of roles.
 */
function configuration(server: URL, folder: string, port: number): string {
  return [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    'default_pool_size = 2',
    'server_idle_timeout = 5',
    // The server hashes passwords with MD5. With this setting PgBouncer uses SCRAM for roles with a SCRAM hash.
    'auth_type = md5',
    `auth_file = ${join(folder, 'userlist.txt')}`,
    `auth_user = ${server.username}`,
    'auth_query = SELECT usename, passwd FROM pg_shadow WHERE usename = $1',
    '',
  ].join('\n');
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Starts PgBouncer on a free port of 127.0.0.1 in front of the server of `serverUrl`, whose role is a superuser. */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  if (!existsSync(program)) throw new Error('PgBouncer is not installed: run `sudo apt-get install pgbouncer`.');
  const server = new URL(serverUrl);
  const identity = serverIdentity();
  const folder = mkdtempSync(join(tmpdir(), 'licensing-pgbouncer-'));
  const port = await freePort();
  const files = {
    'pgbouncer.ini': configuration(server, folder, port),
    'userlist.txt': `"${server.username}" "${server.password}"\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  if (identity !== null) {
    for (const name of ['.', ...Object.keys(files)]) chownSync(join(folder, name), identity.uid, identity.gid);
  }
  const log = openSync(join(folder, 'log'), 'a');
  const supervised = [
    folder,
    String(identity?.uid ?? -1),
    String(identity?.gid ?? -1),
    'SIGQUIT',
    program,
    join(folder, 'pgbouncer.ini'),
  ];
  const supervisor: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'server-supervisor.ts'), ...supervised],
    {
      detached: true,
      stdio: ['pipe', log, log],
    },
  );
  const stop = async () => {
    if (supervisor.exitCode === null) {
      const exited = once(supervisor, 'exit');
      supervisor.stdin?.end();
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const deadlineMs = performance.now() + startTimeoutMs;
  while (!(await isListening(port))) {
    if (supervisor.exitCode !== null || performance.now() > deadlineMs) {
      const logText = readFileSync(join(folder, 'log'), 'utf8').trim();
      await stop();
      throw new Error(`PgBouncer did not listen within ${startTimeoutMs / 1000} s. Its log: ${logText || '(empty)'}`);
    }
    await sleep(pollIntervalMs);
  }
  return {
    through(url) {
      const pooled = new URL(url);
      pooled.port = String(port);
      pooled.searchParams.set('pooling', 'transaction');
      return pooled.href;
    },
    stop,
  };
}
