import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { takeServeLock } from '../../db/sqlite/serve-lock.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const requiredNodeMajor = 26;
const mebibyte = 1024 * 1024;
const scarceMebibytes = 1024;
const tooFewMebibytes = 100;
const responseTimeoutMs = 2_000;

/** Checks the version of Node. */
export function checkNode(): Finding {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= requiredNodeMajor) return ok(`Node ${node}`);
  return problem(`Node ${node} is too old.`, `Use Node ${requiredNodeMajor}; "npm start" installs and uses it.`);
}

/** Checks the data directory, its free space, and the key file, before any database is opened. */
export async function* checkDataDir({ dataDir, databaseUrl, appKey }: Config): AsyncGenerator<Finding> {
  const folder = await stat(dataDir).catch(() => undefined);
  if (folder === undefined) {
    yield await checkParent(dataDir);
    return;
  }
  if (!folder.isDirectory()) {
    yield problem(`${dataDir} is not a folder.`, 'Set DATA_DIR to a folder.');
    return;
  }
  yield* checkAccess(dataDir, folder.mode);
  yield await checkFreeSpace(dataDir);
  if (appKey === null && databaseUrl === null) yield* checkKeyFile(join(dataDir, 'app.key'));
}

/** The first start creates the folder, so the nearest existing parent must be writable. */
async function checkParent(dataDir: string): Promise<Finding> {
  let parent = dirname(dataDir);
  while ((await stat(parent).catch(() => undefined)) === undefined) parent = dirname(parent);
  if (await isAllowed(parent, constants.W_OK | constants.X_OK))
    return ok(`${dataDir} does not exist yet; the first start creates it`);
  return problem(
    `${dataDir} does not exist, and the service's user cannot create it in ${parent}.`,
    'Set DATA_DIR to another folder, or correct the permissions.',
  );
}

async function* checkAccess(dataDir: string, mode: number): AsyncGenerator<Finding> {
  if (!(await isAllowed(dataDir, constants.R_OK | constants.W_OK | constants.X_OK))) {
    yield problem(`${dataDir} is not readable and writable.`, `Make the service's user its owner, with "chown".`);
  } else if (isOpenToOthers(mode)) {
    yield warning(`Other users can read ${dataDir}.`, `Run "chmod 700 ${dataDir}".`);
  } else yield ok(`${dataDir} is writable, and only its owner has access`);
}

async function isAllowed(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Returns true when the group or other users have access. Always false on Windows, which has no such modes. */
function isOpenToOthers(mode: number): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

async function checkFreeSpace(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = Math.floor((bavail * bsize) / mebibyte);
  const text = `${free} MiB are free on the disk of ${dataDir}`;
  if (free < tooFewMebibytes) return problem(`Only ${text}.`, 'Free space: writes will soon fail.');
  return free < scarceMebibytes ? warning(`Only ${text}.`, 'Free space, or move DATA_DIR.') : ok(text);
}

async function* checkKeyFile(path: string): AsyncGenerator<Finding> {
  const file = await stat(path).catch(() => undefined);
  if (file === undefined) yield ok(`The application key ${path} does not exist yet; the first start creates it`);
  else if (isOpenToOthers(file.mode)) {
    yield problem(`Other users can read the application key in ${path}.`, `Run "chmod 600 ${path}".`);
  } else yield ok(`Only its owner can read the application key ${path}`);
}

/** Reports whether a service uses the data directory and whether the port is available. */
export async function* checkServing(config: Config): AsyncGenerator<Finding> {
  if (config.databaseUrl === null) yield await checkLock(config.dataDir);
  yield await checkPort(config);
}

async function checkLock(dataDir: string): Promise<Finding> {
  const isPresent = await isAllowed(join(dataDir, 'serve.lock'), constants.F_OK);
  if (!isPresent) return ok(`No service runs on ${dataDir}`);
  try {
    takeServeLock(dataDir).release();
    return ok(`No service runs on ${dataDir}`);
  } catch {
    return ok(`A service runs on ${dataDir}`);
  }
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  if (port === 0) return ok('PORT is 0: the system chooses a free port');
  const failure = await tryToListen(host, port);
  if (failure === undefined) return ok(`Port ${port} on ${host} is free`);
  if (failure.code !== 'EADDRINUSE') {
    return problem(`The service cannot listen on ${host}:${port} (${failure.code}).`, 'Set another HOST or PORT.');
  }
  if (await isServedByUs(host, port)) return ok(`This service responds on port ${port}`);
  return problem(`Another program listens on port ${port}.`, 'Stop it, or set another PORT.');
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function isServedByUs(host: string, port: number): Promise<boolean> {
  const local = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const response = await fetch(`http://${local}:${port}/health`, { signal: AbortSignal.timeout(responseTimeoutMs) });
    return response.headers.has('x-service-api-version');
  } catch {
    return false;
  }
}
