import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { makeFolder } from '../lib/make-folder.ts';
import { appKeyFile } from './data-dir.ts';
import { ConfigError } from './environment-reader.ts';

/**
 * Returns the fault of an application key as the end of a sentence, or null for a valid key. A key must not be
 * guessable, and must fit into the comma-separated `APP_PREVIOUS_KEYS` after a rotation.
 */
export function appKeyProblem(key: string): string | null {
  if (/[\s,]/.test(key)) return 'must contain neither spaces nor commas: generate one with "licensing keys generate".';
  if (key.length < 32 || new Set(key).size < 8) {
    return 'is too easy to guess: use at least 32 random characters, for example from "licensing keys generate".';
  }
  return null;
}

/**
 * Returns the application key of an embedded installation, which the first start creates in the file `app.key`,
 * readable only by its owner. Two processes that start at the same time get the same key. Throws a `ConfigError` when
 * other users can read the file, or when its content is not a valid key.
 */
export function loadOrCreateAppKey(dataDir: string): string {
  const path = appKeyFile(dataDir);
  makeFolder(dataDir);
  return readAppKeyFile(path) ?? createAppKeyFile(path);
}

function readAppKeyFile(path: string): string | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return null;
  if (process.platform !== 'win32' && (file.mode & 0o077) !== 0) {
    throw new ConfigError([
      `Other users can read the application key in ${path}: run "chmod 600" on it, and start again.`,
    ]);
  }
  const key = readFileSync(path, 'utf8').trim();
  const problem = appKeyProblem(key);
  if (problem !== null) throw new ConfigError([`The application key in ${path} ${problem}`]);
  return key;
}

/** `link` is atomic and never replaces a file, so no reader sees a partial key, and only one key is ever created. */
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
