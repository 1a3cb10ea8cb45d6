import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import { appKeyFile, dataDirError, missingPart } from '../../config/data-dir.ts';
import { isServed } from '../../db/sqlite/serve-lock.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const requiredNodeMajor = 26;
const mebibyte = 1024 * 1024;
const scarceMebibytes = 1024;
const tooFewMebibytes = 100;
const responseTimeoutMs = 2_000;
/** The types of proc and sysfs, which accept no folders: https://man7.org/linux/man-pages/man2/statfs.2.html */
const virtualFileSystems: ReadonlySet<number> = new Set([0x9fa0, 0x62656572]);

/** Checks the version of Node. */
export function checkNode(): Finding {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= requiredNodeMajor) return ok(`Node ${node}`);
  return problem(`Node ${node} is too old.`, `Use Node ${requiredNodeMajor}; "npm start" installs and uses it.`);
}

/**
 * Checks the data directory, its free space, and the key file, before any database is opened. Returns true if the
 * directory can be used.
 */
export async function* checkDataDir(config: Config): AsyncGenerator<Finding, boolean> {
  const { dataDir, databaseUrl, appKey } = config;
  const folder = await stat(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw dataDirError(dataDir, error);
  });
  if (folder === undefined) {
    const finding = await checkParent(dataDir);
    yield finding;
    return finding.level === 'ok';
  }
  if (!folder.isDirectory()) {
    yield problem(`${dataDir} is not a folder.`, 'Set DATA_DIR to a folder.');
    return false;
  }
  const access = await checkAccess(dataDir, folder.mode);
  yield access;
  if (access.level === 'problem') return false;
  yield await checkFreeSpace(dataDir);
  const missing = missingPart(config);
  if (missing !== undefined) {
    yield problem(missing.text, missing.advice);
    return false;
  }
  if (appKey === null && databaseUrl === null) yield* checkKeyFile(appKeyFile(dataDir));
  return true;
}

/** The first start creates the folder, so the nearest existing parent must be writable. */
async function checkParent(dataDir: string): Promise<Finding> {
  let parent = dirname(dataDir);
  while ((await stat(parent).catch(() => undefined)) === undefined) parent = dirname(parent);
  if (!(await isAllowed(parent, constants.W_OK | constants.X_OK))) return parentProblem(dataDir, parent);
  const { type } = await statfs(parent);
  if (!(await stat(parent)).isDirectory() || virtualFileSystems.has(type)) return parentProblem(dataDir, parent);
  return ok(`${dataDir} does not exist yet; the first start creates it`);
}

function parentProblem(dataDir: string, parent: string): Finding {
  return problem(
    `${dataDir} does not exist, and the service's user cannot create it in ${parent}.`,
    'Set DATA_DIR to another folder, or correct the permissions.',
  );
}

async function checkAccess(dataDir: string, mode: number): Promise<Finding> {
  if (!(await isAllowed(dataDir, constants.R_OK | constants.W_OK | constants.X_OK))) {
    return problem(`${dataDir} is not readable and writable.`, `Make the service's user its owner, with "chown".`);
  }
  if (isOpenToOthers(mode)) return warning(`Other users can read ${dataDir}.`, `Run "chmod 700 ${dataDir}".`);
  return ok(`${dataDir} is writable, and only its owner has access`);
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
  const { dataDir, databaseUrl } = config;
  if (databaseUrl !== null) {
    yield await checkPort(config, true);
    return;
  }
  const isRunning = isServed(dataDir);
  yield ok(isRunning ? `A service runs on ${dataDir}` : `No service runs on ${dataDir}`);
  yield await checkPort(config, isRunning);
}

/** `isRunning`: a service of this installation may run. */
async function checkPort({ host, port }: Config, isRunning: boolean): Promise<Finding> {
  if (port === 0) return ok('PORT is 0: the system chooses a free port');
  const failure = await tryToListen(host, port);
  if (failure === undefined) return ok(`Port ${port} on ${host} is free`);
  if (failure.code !== 'EADDRINUSE') {
    return problem(`The service cannot listen on ${host}:${port} (${failure.code}).`, 'Set another HOST or PORT.');
  }
  const isService = await isServedByUs(host, port);
  if (isService && isRunning) return ok(`This service responds on port ${port}`);
  if (isService) {
    return problem(
      `The service of another data directory responds on port ${port}.`,
      'To check that service, set DATA_DIR to its data directory; to run this one beside it, set another PORT.',
    );
  }
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
