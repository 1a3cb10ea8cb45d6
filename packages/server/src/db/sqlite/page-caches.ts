/** The initial size in KiB, small because a thousand files may be open. */
export const initialKib = 48;
/** The size for files without counted traffic, and the minimum for busy large files. */
export const largeFileKib = 512;
/** A file up to this size is cached as a whole. */
const wholeFileKibMax = 16 * 1024;
/**
 * This part of a larger file holds the inner pages of the indexes in use, between the leaf pages of random reads. With
 * less, a validation of one of a million licenses reads three of them again.
 */
const innerPagesShare = 1 / 256;
const innerPagesKibMax = 8 * 1024;
/** For all page caches of a process. */
const limitKibDefault = 64 * 1024;
/** After how many statements a cache grows. */
const usesPerStep = 64;
/** A sufficient cache is checked again after this many statements, because its file may have grown. */
const usesPerCheck = 512;

/** The file of a page cache. */
interface CachedFile {
  /** The current size of the file in KiB. */
  sizeKib(): number;
  /** Sets the maximum size of the page cache. */
  resize(kib: number): void;
}

/** The page cache of one open file. */
export interface PageCache {
  readonly kib: number;
  /** Counts a statement. Busy files get a larger cache. */
  countUse(): void;
  /** Frees its share of the limit. Call it when the file is closed. */
  close(): void;
}

function wantedKib(fileKib: number): number {
  if (fileKib <= wholeFileKibMax) return Math.max(initialKib, Math.ceil(fileKib));
  return Math.min(innerPagesKibMax, Math.max(largeFileKib, Math.ceil(fileKib * innerPagesShare)));
}

/**
 * Divides the memory for page caches among the open files of a process by their traffic: each begins with 48 KiB, and a
 * cache that is used grows until it holds its file. When the limit is reached, the caches that have not grown for the
 * longest time shrink to 48 KiB.
 */
export class PageCaches {
  readonly #limitKib: number;
  /** The least recently grown cache is first. */
  readonly #caches = new Set<OpenCache>();
  #totalKib = 0;

  constructor(limitKib = limitKibDefault) {
    this.#limitKib = limitKib;
  }

  /** The sum of the maximum sizes, in KiB. */
  get totalKib(): number {
    return this.#totalKib;
  }

  /** Adds the page cache of a file that was opened with the initial size. */
  open(file: CachedFile): PageCache {
    const cache = new OpenCache(file, initialKib, {
      grow: () => this.#grow(cache),
      close: () => {
        if (this.#caches.delete(cache)) this.#totalKib -= cache.kib;
      },
    });
    this.#caches.add(cache);
    this.#totalKib += cache.kib;
    return cache;
  }

  #grow(cache: OpenCache): boolean {
    this.#caches.delete(cache);
    this.#caches.add(cache);
    const kib = Math.min(cache.kib * 2, wantedKib(cache.fileKib()));
    if (kib <= cache.kib) return false;
    this.#shrinkOthers(cache, this.#totalKib + kib - cache.kib - this.#limitKib);
    if (this.#totalKib + kib - cache.kib > this.#limitKib) return false;
    this.#resize(cache, kib);
    return true;
  }

  #shrinkOthers(grown: OpenCache, missingKib: number): void {
    let leftKib = missingKib;
    for (const cache of this.#caches) {
      if (leftKib <= 0) return;
      if (cache === grown || cache.kib === initialKib) continue;
      leftKib -= cache.kib - initialKib;
      this.#resize(cache, initialKib);
    }
  }

  #resize(cache: OpenCache, kib: number): void {
    this.#totalKib += kib - cache.kib;
    cache.resize(kib);
  }
}

class OpenCache implements PageCache {
  readonly #file: CachedFile;
  readonly #owner: { readonly grow: () => boolean; readonly close: () => void };
  kib: number;
  #usesLeft = usesPerStep;

  constructor(file: CachedFile, kib: number, owner: { readonly grow: () => boolean; readonly close: () => void }) {
    this.#file = file;
    this.#owner = owner;
    this.kib = kib;
  }

  countUse(): void {
    this.#usesLeft -= 1;
    if (this.#usesLeft > 0) return;
    this.#usesLeft = this.#owner.grow() ? usesPerStep : usesPerCheck;
  }

  close(): void {
    this.#owner.close();
  }

  fileKib(): number {
    return this.#file.sizeKib();
  }

  resize(kib: number): void {
    this.kib = kib;
    this.#usesLeft = usesPerStep;
    this.#file.resize(kib);
  }
}
