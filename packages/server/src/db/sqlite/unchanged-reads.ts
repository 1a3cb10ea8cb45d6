import type { ChangeMark } from '../change-mark.ts';
import type { SqlValue } from '../database.ts';

/** The maximum number of cached rows: more than the API keys in use at a time. They take a few MB at most. */
const rowsMax = 2_000;

/**
 * Caches rows of prepared reads until the change mark of their database changes, so no row outlives a change by any
 * process. Rows are shared and frozen. docs/decisions/0005-hot-path.md has the reasons and figures.
 */
export class UnchangedReads {
  readonly #rows = new Map<object, Map<string, object>>();
  #size = 0;
  #mark: ChangeMark | undefined;

  /**
   * Returns the row of a read with these arguments, from `readNow` if it is not cached. Missing rows are not cached.
   */
  get<Row>(mark: ChangeMark, read: object, args: readonly SqlValue[], readNow: () => Row | undefined): Row | undefined {
    if (mark !== this.#mark || this.#size >= rowsMax) this.#clearAt(mark);
    const name = nameOf(args);
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

  #clearAt(mark: ChangeMark): void {
    this.#rows.clear();
    this.#size = 0;
    this.#mark = mark;
  }
}

/** Returns one text per list of arguments. A read always has the same number of arguments. */
function nameOf(args: readonly SqlValue[]): string {
  const [only] = args;
  if (args.length === 1 && typeof only === 'string') return only;
  // No text argument begins with this character, so a number differs from its text.
  return args.map((value) => `\u0000${typeof value} ${value}`).join('');
}
