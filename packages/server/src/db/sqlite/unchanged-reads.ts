import type { SqlValue } from '../database.ts';

/** More than the keys that are in use within a moment; a few MB at most. */
const rowsMax = 2_000;

/**
 * Rows that were read before, for as long as nothing at all was committed to the database, by whichever process. It
 * is no cache that could outlive a change: whoever asks for a row tells the mark of the database at that very moment,
 * and with another mark everything is forgotten. Rows are shared, and frozen.
 */
export class UnchangedReads {
  readonly #rows = new Map<object, Map<string, object>>();
  #size = 0;
  #mark: number | undefined;

  /** The row of a read with these arguments; `readNow` reads it where it is not known. Absence is not remembered. */
  get<Row>(mark: number, read: object, args: readonly SqlValue[], readNow: () => Row | undefined): Row | undefined {
    if (mark !== this.#mark || this.#size >= rowsMax) this.#forget(mark);
    const name = args.map((value) => `${typeof value} ${value}`).join('\u0000');
    const rowsOfRead = this.#rows.get(read);
    const known = rowsOfRead?.get(name);
    if (known !== undefined) return known as Row;
    // A change between the mark and this read makes the row newer than its mark, which is then never asked for again.
    const row = readNow();
    if (row === undefined) return undefined;
    const remembered = Object.freeze(row) as object;
    if (rowsOfRead === undefined) this.#rows.set(read, new Map([[name, remembered]]));
    else rowsOfRead.set(name, remembered);
    this.#size += 1;
    return row;
  }

  /** Forgets everything: the marks of a connection that was opened anew begin again. */
  clear(): void {
    this.#forget(undefined);
  }

  #forget(mark: number | undefined): void {
    this.#rows.clear();
    this.#size = 0;
    this.#mark = mark;
  }
}
