import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config-error.ts';

/** A key must not be guessable, and must fit into the comma-separated `APP_PREVIOUS_KEYS` once it is replaced. */
export function appKeyProblem(key: string): string | null {
  if (/[\s,]/.test(key)) return 'must hold neither spaces nor commas: make one with "licensing keys generate".';
  if (key.length < 32 || new Set(key).size < 8) {
    return 'is too easy to guess: use at least 32 random characters, for example from "licensing keys generate".';
  }
  return null;
}

/**
 * The application key of an embedded installation: made at the first start and kept in `app.key`, which only its
 * owner may read. Two processes that start at once get the same key. Throws a `ConfigError` when others may read it.
 */
export function loadOrCreateAppKey(dataDir: string): string {
  const path = join(dataDir, 'app.key');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return readAppKeyFile(path) ?? createAppKeyFile(path);
}

function readAppKeyFile(path: string): string | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return null;
  if (process.platform !== 'win32' && (file.mode & 0o077) !== 0) {
    throw new ConfigError([`Others may read the application key in ${path}: run "chmod 600" on it, and start again.`]);
  }
  const key = readFileSync(path, 'utf8').trim();
  const problem = appKeyProblem(key);
  if (problem !== null) throw new ConfigError([`The application key in ${path} ${problem}`]);
  return key;
}

/** A link appears whole or not at all and never replaces a file, so no reader sees half a key, nor a second one. */
function createAppKeyFile(path: string): string {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const key = randomBytes(32).toString('hex');
  try {
    writeDurably(draft, `${key}\n`);
    linkSync(draft, path);
    return key;
  } catch (error) {
    const existing = isExistsError(error) ? readAppKeyFile(path) : null;
    if (existing === null) throw error;
    return existing;
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeDurably(path: string, content: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function isExistsError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
