import type { SqlValue } from '../database.ts';

/** More than the API keys that are in use at the same time. The rows take a few MB at most. */
const rowsMax = 2_000;

/**
 * Keeps rows of prepared reads until anything is committed to the database by any process. No row outlives a change:
 * each read passes the current change mark of the database, and a different mark clears everything. Rows are shared and
 * frozen. Why it exists, with figures: docs/decisions/0005-hot-path.md.
 */
export class UnchangedReads {
  readonly #rows = new Map<object, Map<string, object>>();
  #size = 0;
  #mark: number | undefined;

  /** Returns the row of a read with these arguments, from `readNow` if it is not kept. A missing row is not kept. */
  get<Row>(mark: number, read: object, args: readonly SqlValue[], readNow: () => Row | undefined): Row | undefined {
    if (mark !== this.#mark || this.#size >= rowsMax) this.#clearAt(mark);
    const name = args.map((value) => `${typeof value} ${value}`).join('\u0000');
    const rowsOfRead = this.#rows.get(read);
    const kept = rowsOfRead?.get(name);
    if (kept !== undefined) return kept as Row;
    // A commit between the mark and this read makes the row newer than its mark; the next read then has another mark.
    const row = readNow();
    if (row === undefined) return undefined;
    const frozen = Object.freeze(row) as object;
    if (rowsOfRead === undefined) this.#rows.set(read, new Map([[name, frozen]]));
    else rowsOfRead.set(name, frozen);
    this.#size += 1;
    return row;
  }

  /** Clears all rows. Call it when the connection is reopened, because the marks of a new connection start again. */
  clear(): void {
    this.#clearAt(undefined);
  }

  #clearAt(mark: number | undefined): void {
    this.#rows.clear();
    this.#size = 0;
    this.#mark = mark;
  }
}
