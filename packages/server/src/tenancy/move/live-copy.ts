import type { Applier, HeldDatabase, Snapshot } from '../../db/copy/copy.ts';
import type { ArchiveProgress } from '../archive/progress.ts';
import type { Placement } from '../placement.ts';
import type { TenantDatabases } from '../tenant-databases.ts';
import { applyChanges } from './apply-changes.ts';
import { assertSameRows, copyRows, countRows, digestRows } from './copy-rows.ts';

/** A round with at most this many changed rows is small: the next one takes a fraction of a second. */
const smallRound = 1_000;
/** If the rounds do not become small, the tenant changes faster than its changes can be applied. */
const roundsMax = 20;

interface LiveCopyOptions {
  readonly databases: TenantDatabases;
  readonly source: Placement;
  readonly target: Placement;
  /** The last migration of both databases. */
  readonly schema: string;
  /** 32 hexadecimal digits. */
  readonly captureId: string;
  readonly progress: ArchiveProgress;
  /** Runs before each step that may take long; throws when the copy must stop. */
  readonly assertMayContinue: () => Promise<void>;
}

/**
 * Copies a database while it is being changed. A capture records the keys of all rows that change. The copy is taken
 * from a snapshot; then the changed rows are copied again, in rounds, until few are left for the last round, during
 * which the source accepts no changes.
 */
export class LiveCopy {
  readonly #options: LiveCopyOptions;
  /** The position of the capture up to which the copy contains the changes. */
  #position = '';
  #applier: Applier | undefined;
  #changedRows = 0;

  constructor(options: LiveCopyOptions) {
    this.#options = options;
  }

  /** The number of rows that were copied again so far. */
  get changedRows(): number {
    return this.#changedRows;
  }

  /** Copies a snapshot of the source. Resolves with the number of rows. */
  async copy(): Promise<number> {
    const { databases, source, target, captureId, progress } = this.#options;
    await databases.capture(source, captureId);
    return await this.#withSource(async (snapshot) => {
      const rows = await countRows(snapshot);
      this.#position = await snapshot.position(captureId);
      const loader = await databases.load(target);
      try {
        progress.begin('Copying', rows);
        await copyRows(snapshot, loader, progress);
        progress.begin('Completing', null);
        await loader.finish();
      } finally {
        await loader.close();
      }
      this.#applier = await databases.apply(target);
      return rows;
    });
  }

  /** Copies the changed rows again, in rounds, until a round is small. */
  async catchUp(): Promise<void> {
    this.#options.progress.begin('Catching up', null);
    for (let round = 1; round <= roundsMax; round += 1) {
      const count = await this.#withSource((snapshot) => this.#apply(snapshot, false));
      if (count <= smallRound) return;
    }
    throw new Error(
      'The tenant changes faster than its changes can be copied. Nothing was moved. Run the command again when there ' +
        'is less traffic.',
    );
  }

  /**
   * Compares every row of the copy with a snapshot of the source, so that a row that the copy or the capture missed
   * stops the move. Takes as long as reading both databases.
   */
  async check(): Promise<void> {
    const { databases, target, progress } = this.#options;
    const { tables } = this.#opened();
    await this.#withSource(async (snapshot) => {
      await this.#apply(snapshot, false);
      progress.begin('Checking', 2 * (await countRows(snapshot)));
      const expected = await digestRows(snapshot, tables, progress);
      const copy = await databases.readSnapshot(target);
      try {
        assertSameRows(expected, await digestRows(copy, tables, progress));
      } finally {
        await copy.close();
      }
    });
  }

  /** Returns how many changed rows `complete` would copy. */
  async countChanges(source: HeldDatabase): Promise<number> {
    return await source.countChanges(this.#options.captureId, this.#position);
  }

  /** Copies the last changed rows of the source, which is held. The copy is then complete and on the disk. */
  async complete(source: HeldDatabase): Promise<number> {
    this.#assertSchema(source);
    const rows = await this.#apply(source, true);
    await this.close();
    return rows;
  }

  /** Closes the copy; the source keeps its capture. */
  async close(): Promise<void> {
    await this.#applier?.close();
    this.#applier = undefined;
  }

  #opened(): Applier {
    if (this.#applier === undefined) throw new Error('The database was not copied yet.');
    return this.#applier;
  }

  async #withSource<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    const { databases, source, assertMayContinue } = this.#options;
    await assertMayContinue();
    const snapshot = await databases.readSnapshot(source);
    try {
      this.#assertSchema(snapshot);
      return await work(snapshot);
    } finally {
      await snapshot.close();
    }
  }

  async #apply(snapshot: Snapshot, isLast: boolean): Promise<number> {
    const { captureId } = this.#options;
    const position = await snapshot.position(captureId);
    const since = this.#position;
    const count = await applyChanges(snapshot, this.#opened(), { captureId, since }, { isLast });
    this.#position = position;
    this.#changedRows += count;
    return count;
  }

  #assertSchema({ schema }: Pick<Snapshot, 'schema'>): void {
    if (schema !== this.#options.schema) throw migrated();
  }
}

/** The error of a move that stops because the source is migrated. */
export function migrated(): Error {
  return new Error(
    "A migration of the tenant's database began. Nothing was moved. Run the command again after the migration.",
  );
}
