import { createHash } from 'node:crypto';
import { chmodSync, existsSync, rmSync } from 'node:fs';
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

/** What the import of machines must know of a license. */
export interface KnownLicense {
  readonly targetId: string;
  readonly policySourceId: string;
  /** The activations that it admits; null is unlimited. */
  readonly admitted: number | null;
  /** The activations that a dry run would have created. */
  readonly planned: number;
}

const schema = `
  create table if not exists checkpoint (id integer primary key, json text not null);
  create table if not exists keygen_users (id text primary key, json text not null, owns integer not null) without rowid;
  create table if not exists keygen_licenses (id text primary key, target text not null, policy text not null,
    admitted integer, planned integer not null) without rowid;
  create table if not exists seen (kind text not null, id text not null, primary key (kind, id)) without rowid;
  create table if not exists taken (hash blob primary key) without rowid;`;

/**
 * What one import must remember of its source, on disk so that memory stays bounded: owners, licenses, ids and its
 * position. An import that is interrupted continues from it. It contains names and addresses, so it has mode 0600 and
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
    const path = join(folder, `keygen-${createHash('sha256').update(name).digest('hex').slice(0, 32)}.db`);
    if (!options.restart || !existsSync(path)) return new WorkingFile(path);
    const old = new WorkingFile(path);
    old.remove();
    return new WorkingFile(path);
  }

  /** Creates the file of a dry run, which leaves nothing behind. */
  static temporary(dataDir: string): WorkingFile {
    const folder = join(dataDir, 'tmp');
    makeFolder(folder);
    return new WorkingFile(join(folder, `import-${newId()}.db`));
  }

  /** Runs `work`, which is synchronous, in one transaction. */
  transaction(work: () => void): void {
    this.#database.script('begin immediate');
    try {
      work();
      this.#database.script('commit');
    } catch (error) {
      this.#database.script('rollback');
      throw error;
    }
  }

  /** Returns the position of an interrupted import; null if there is none. */
  checkpoint(): Checkpoint | null {
    const row = this.#database.get('select json from checkpoint');
    return row === undefined ? null : JSON.parse(String(row['json']));
  }

  /** Stores the position. */
  save(checkpoint: Checkpoint): void {
    this.#database.run('insert or replace into checkpoint (id, json) values (1, ?)', JSON.stringify(checkpoint));
  }

  /** Remembers a user. */
  addUser(id: string, holder: Holder): void {
    this.#database.run(
      `insert into keygen_users (id, json, owns) values (?, ?, 0) on conflict (id) do update set json = excluded.json`,
      id,
      JSON.stringify(holder),
    );
  }

  /** Returns a user; undefined if it is unknown. */
  user(id: string): Holder | undefined {
    const row = this.#database.get('select json from keygen_users where id = ?', id);
    return row === undefined ? undefined : JSON.parse(String(row['json']));
  }

  /** Remembers that a user owns a license. */
  markOwner(id: string): void {
    this.#database.run('update keygen_users set owns = 1 where id = ? and owns = 0', id);
  }

  /** Returns up to `limit` users without a license after `after`, in the order of their ids. */
  usersWithoutLicense(after: string, limit: number): string[] {
    const sql = 'select id from keygen_users where owns = 0 and id > ? order by id limit ?';
    return this.#database.all(sql, after, limit).map((row) => String(row['id']));
  }

  /** Remembers an imported license. */
  addLicense(id: string, { targetId, policySourceId, admitted }: Omit<KnownLicense, 'planned'>): void {
    this.#database.run(
      `insert into keygen_licenses (id, target, policy, admitted, planned) values (?, ?, ?, ?, 0)
       on conflict (id) do update set target = excluded.target, admitted = excluded.admitted`,
      id,
      targetId,
      policySourceId,
      admitted,
    );
  }

  /** Returns an imported license; undefined if it was not imported. */
  license(id: string): KnownLicense | undefined {
    const row = this.#database.get('select * from keygen_licenses where id = ?', id);
    if (row === undefined) return undefined;
    const { target, policy, admitted, planned } = row;
    return {
      targetId: String(target),
      policySourceId: String(policy),
      admitted: admitted === null ? null : Number(admitted),
      planned: Number(planned),
    };
  }

  /** Counts an activation that a dry run would have created. */
  planActivation(licenseId: string): void {
    this.#database.run('update keygen_licenses set planned = planned + 1 where id = ?', licenseId);
  }

  /** Remembers that a resource exists in the source. Returns false if it was there before. */
  see(kind: string, id: string): boolean {
    return this.#database.run('insert or ignore into seen (kind, id) values (?, ?)', kind, id) > 0;
  }

  /** Returns true if a resource was seen. */
  hasSeen(kind: string, id: string): boolean {
    return this.#database.get('select 1 from seen where kind = ? and id = ?', kind, id) !== undefined;
  }

  /** Remembers a text, such as a license key, as a hash. */
  take(...texts: readonly string[]): void {
    this.#database.run('insert or ignore into taken (hash) values (?)', hashOf(texts));
  }

  /** Returns true if a text was remembered. */
  isTaken(...texts: readonly string[]): boolean {
    return this.#database.get('select 1 from taken where hash = ?', hashOf(texts)) !== undefined;
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
