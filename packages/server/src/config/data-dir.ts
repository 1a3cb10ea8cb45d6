import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';

/** Returns the path of the platform database on the embedded engine. */
export function platformFile(dataDir: string): string {
  return join(dataDir, 'platform.db');
}

/** Returns the folder of the tenants' databases on the embedded engine. */
export function tenantsFolder(dataDir: string): string {
  return join(dataDir, 'tenants');
}

/** Returns the path of the application key that an embedded installation generates. */
export function appKeyFile(dataDir: string): string {
  return join(dataDir, 'app.key');
}

/** The settings that decide which files a data directory has. */
interface DataConfig {
  readonly dataDir: string;
  /** Null: the key is in the data directory. */
  readonly appKey: string | null;
  /** Null: the embedded engine. */
  readonly databaseUrl: string | null;
}

/** Returns where the application key comes from, for messages: its file, or the name of the variable. */
export function appKeySource({ dataDir, appKey }: Pick<DataConfig, 'dataDir' | 'appKey'>): string {
  return appKey === null ? appKeyFile(dataDir) : 'APP_KEY';
}

/** A part of an embedded installation that is missing beside its other data, and what the operator must do. */
export interface MissingPart {
  readonly text: string;
  readonly advice: string;
}

/**
 * Returns what is missing beside the data of an embedded installation: the application key, or the platform database.
 * A start would create a new one, which does not belong to the data. Undefined for complete and for empty folders.
 */
export function missingPart({ dataDir, appKey, databaseUrl }: DataConfig): MissingPart | undefined {
  if (databaseUrl !== null) return undefined;
  const hasPlatform = existsSync(platformFile(dataDir));
  const hasTenants = isPopulated(tenantsFolder(dataDir));
  if (!hasPlatform && !hasTenants) return undefined;
  if (appKey === null && !existsSync(appKeyFile(dataDir))) {
    return {
      text: `app.key is missing in ${dataDir}, which contains data (${hasPlatform ? 'platform.db' : 'tenants'}).`,
      advice:
        `Copy app.key from the place where you keep it beside your backups to ${appKeyFile(dataDir)} (mode 600), or set APP_KEY ` +
        'to its content. A backup does not contain it, and a new key cannot read this data. Nothing was changed.',
    };
  }
  if (hasPlatform) return undefined;
  const moved = `${platformFile(dataDir)}.moved`;
  return {
    text: `platform.db is missing in ${dataDir}, which contains the databases of tenants.`,
    advice: existsSync(moved)
      ? `"platform move" moved it to PostgreSQL and kept the file as ${moved}: set DATABASE_URL. Nothing was changed.`
      : 'Copy the file back, or restore a backup into another DATA_DIR. Nothing was changed.',
  };
}

function isPopulated(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}

/**
 * Prepares the data directory of an embedded installation: creates the folder, and checks that this process may use it.
 * Throws a sentence for the operator, before anything is created, when a part is missing beside existing data or when
 * the folder cannot be used. Does nothing with `DATABASE_URL`.
 */
export function prepareDataDir(config: DataConfig): void {
  if (config.databaseUrl !== null) return;
  const missing = missingPart(config);
  if (missing !== undefined) throw new Error(`${missing.text} ${missing.advice}`);
  makeDataDir(config.dataDir);
}

/** Creates a data directory unless it exists. Throws a sentence for the operator when it cannot be used. */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw dataDirError(dataDir, error);
  }
}

/** More than a transaction usually adds to a database. */
const checkedBytes = 64 * 1024;

/** Writes a file into a data directory and removes it, because only a write shows that the disk is full. */
export function assertWritable(dataDir: string): void {
  const path = join(dataDir, `.write-check-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, Buffer.alloc(checkedBytes, 1));
      fsyncSync(file);
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
  } catch (error) {
    throw dataDirError(dataDir, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the system refuses to create a folder there. Set DATA_DIR to a folder on a disk',
  ENOTDIR: 'a part of its path is a file. Set DATA_DIR to a folder',
  EEXIST: 'it is a file, not a folder. Set DATA_DIR to a folder, or remove the file',
  EROFS: 'its file system is read-only. Set DATA_DIR to a folder on a writable one',
  EACCES: "this process's user has no permission. Make that user the owner of the folder, or set another DATA_DIR",
  EPERM: 'the system does not permit it. Set DATA_DIR to another folder',
  ENOSPC: 'its disk is full. Free space on it, or set DATA_DIR to a folder on another disk',
  EDQUOT: 'the disk quota of its user is used up. Free space, or set DATA_DIR to a folder on another disk',
  ELOOP: 'its path contains a loop of symbolic links. Set DATA_DIR to a folder',
  ENAMETOOLONG: 'its path is too long. Set a shorter DATA_DIR',
  EIO: 'its disk fails. Check the disk',
};

/** Returns the error for a data directory that cannot be used, with the reason and the remedy. */
export function dataDirError(dataDir: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const reason = reasons[code] ?? 'the system reports an error. Set DATA_DIR to another folder';
  return new Error(`The data directory ${dataDir} cannot be used: ${reason} (${code}).`, { cause: error });
}
