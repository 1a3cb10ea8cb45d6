/** More licenses that changed take more memory than the values that are still valid are worth. */
const changedLicensesMax = 10_000;

/**
 * The marks of PostgreSQL contain only these digits of an id (db/migrations/change-mark.ts). They are random. A license
 * whose id ends like that of a changed one is read once more.
 */
const endOf = (licenseId: string) => licenseId.slice(-4);

/**
 * A state of a database, for caching values that were read in it. Any change gives the database another mark, except
 * changes that belong to single licenses: those are recorded in the mark.
 */
export class ChangeMark {
  #changes = 0;
  readonly #lastChanges = new Map<string, number>();

  /** The number of changes of licenses so far. Note it before a read, to ask `isUnchanged` later. */
  get changes(): number {
    return this.#changes;
  }

  /** True if the mark should be replaced, because it has recorded so many licenses. */
  get isFull(): boolean {
    return this.#lastChanges.size >= changedLicensesMax;
  }

  /** Records that something of a license changed. The end of its id is enough. */
  record(licenseId: string): void {
    this.#changes += 1;
    this.#lastChanges.set(endOf(licenseId), this.#changes);
  }

  /** True if nothing of the license has changed since `changes` was noted. */
  isUnchanged(licenseId: string, changes: number): boolean {
    return (this.#lastChanges.get(endOf(licenseId)) ?? 0) <= changes;
  }
}
