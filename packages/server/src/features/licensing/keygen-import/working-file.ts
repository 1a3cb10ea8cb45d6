import { createHash } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openScratch, type ScratchDatabase } from '../../../db/sqlite/scratch.ts';
import { newId } from '../../../lib/ids.ts';
import { makeFolder } from '../../../lib/make-folder.ts';
import type { Counts } from './finding.ts';
import type { Holder } from './license-mapping.ts';

/** The position up to which an import is complete. */
export interface Checkpoint {
  readonly startedAt: string;
  /** The number of complete collections. */
  readonly stage: number;
  /** The next page of the current collection; null: its first page. */
  readonly next: string | null;
  /** The number of resources of the current collection before `next`. */
  readonly done: number;
  readonly counts: Readonly<Record<string, Counts>>;
}

/** The data of a license that the import of machines needs. */
export interface KnownLicense {
  readonly targetId: string;
  readonly policySourceId: string;
  /** The activations that it admits; null is unlimited. */
  readonly admitted: number | null;
}

/** The values that an import remembers, by kind. */
interface Remembered {
  readonly checkpoint: Checkpoint;
  readonly users: Holder;
  readonly licenses: KnownLicense;
}

const schema = `
  create table if not exists items (kind text not null, id text not null, json text not null, uses integer not null,
    primary key (kind, id)) without rowid;
  create table if not exists marks (hash blob primary key) without rowid;`;

/**
 * The data that one import remembers: owners, licenses, ids and its position. They are on disk, so that memory stays
 * bounded. An interrupted import continues from this file. It contains names and addresses, so it has mode 0600 and
 * is removed at the end of the import.
 */
export class WorkingFile {
  readonly #database: ScratchDatabase;
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
    this.#database = openScratch(path);
    try {
      // The exclusive lock ends with the process, and keeps a second import of the same account away.
      this.#database.script('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal');
      this.#database.script(`pragma cache_size = -8192; begin immediate; ${schema}; commit`);
      chmodSync(path, 0o600);
    } catch (error) {
      this.#database.close();
      if (String(error).includes('locked')) {
        throw new Error('Another import of this account into this tenant is running. Wait until it ends.', {
          cause: error,
        });
      }
      throw error;
    }
  }

  /** Opens the file of an import, which is empty if none was interrupted. `name` identifies tenant and source. */
  static open(dataDir: string, name: string, options: { readonly restart: boolean }): WorkingFile {
    const folder = join(dataDir, 'imports');
    makeFolder(folder);
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 32);
    const file = new WorkingFile(join(folder, `keygen-${hash}.db`));
    if (options.restart) file.#database.script('begin; delete from items; delete from marks; commit');
    return file;
  }

  /** Creates the file of a dry run, which leaves nothing behind. */
  static temporary(dataDir: string): WorkingFile {
    const folder = join(dataDir, 'tmp');
    makeFolder(folder);
    return new WorkingFile(join(folder, `import-${newId()}.db`));
  }

  /** Runs `work` in one transaction. Only one transaction can be open. */
  async transaction(work: () => Promise<void>): Promise<void> {
    this.#database.script('begin immediate');
    try {
      await work();
      this.#database.script('commit');
    } catch (error) {
      this.#database.script('rollback');
      throw error;
    }
  }

  /** Remembers a value, or replaces it. */
  put<Kind extends keyof Remembered>(kind: Kind, id: string, value: Remembered[Kind]): void {
    this.#database.run(
      'insert into items (kind, id, json, uses) values (?, ?, ?, 0) on conflict (kind, id) do update set json = excluded.json',
      kind,
      id,
      JSON.stringify(value),
    );
  }

  /** Returns a remembered value; undefined if there is none. */
  get<Kind extends keyof Remembered>(kind: Kind, id: string): Remembered[Kind] | undefined {
    const row = this.#database.get('select json from items where kind = ? and id = ?', kind, id);
    return row === undefined ? undefined : JSON.parse(String(row['json']));
  }

  /** Counts a license of a user, or an activation that a dry run would have created for a license. */
  countUse(kind: keyof Remembered, id: string): void {
    this.#database.run('update items set uses = uses + 1 where kind = ? and id = ?', kind, id);
  }

  /** Returns the number of counted uses. */
  usesOf(kind: keyof Remembered, id: string): number {
    return Number(this.#database.get('select uses from items where kind = ? and id = ?', kind, id)?.['uses'] ?? 0);
  }

  /** Returns up to `limit` users without a license after `after`, in the order of their ids. */
  usersWithoutLicense(after: string, limit: number): string[] {
    const sql = "select id from items where kind = 'users' and uses = 0 and id > ? order by id limit ?";
    return this.#database.all(sql, after, limit).map((row) => String(row['id']));
  }

  /** Marks a resource as seen, or a license key or a fingerprint as taken. Only a hash is stored. */
  mark(...texts: readonly string[]): void {
    this.#database.run('insert or ignore into marks (hash) values (?)', hashOf(texts));
  }

  /** Returns true if these texts were marked. */
  isMarked(...texts: readonly string[]): boolean {
    return this.#database.get('select 1 from marks where hash = ?', hashOf(texts)) !== undefined;
  }

  /** Closes the file and keeps it for the next run. */
  close(): void {
    this.#database.close();
  }

  /** Closes and deletes the file. */
  remove(): void {
    this.#database.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path + suffix, { force: true });
  }
}

function hashOf(texts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(texts)).digest().subarray(0, 16);
}
