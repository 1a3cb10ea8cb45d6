/**
 * Two stores of values within a limit of memory. When the recent store has used half of it, it becomes the older one, and
 * the values of that one are dropped. Values that are found in the older store must be added again to stay.
 */
export class Generations<Store> {
  recent: Store;
  older: Store;
  readonly #create: () => Store;
  readonly #halfBytes: number;
  #recentBytes = 0;

  constructor(bytes: number, create: () => Store) {
    this.#halfBytes = bytes / 2;
    this.#create = create;
    this.recent = create();
    this.older = create();
  }

  /** Counts a value of this size, and returns the store to add it to. */
  makeRoom(bytes: number): Store {
    if (this.#recentBytes + bytes > this.#halfBytes) {
      this.older = this.recent;
      this.recent = this.#create();
      this.#recentBytes = 0;
    }
    this.#recentBytes += bytes;
    return this.recent;
  }

  /** Drops all values. */
  clear(): void {
    this.recent = this.#create();
    this.older = this.#create();
    this.#recentBytes = 0;
  }
}
