/**
 * A cache with a memory limit, in two generations. When the recent store has used half of the limit, it becomes the
 * older store, and the previous older store is dropped. To keep a value of the older store, add it again.
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
