/** The maximum number of windows per name: about 20 MB at 200 bytes each. */
const defaultMaxWindows = 100_000;

/** A clock correction (NTP) of up to this much backwards does not restart windows. */
const toleratedBackMs = 5_000;

interface Opened<Window> {
  readonly window: Window;
  readonly openedAtMs: number;
}

/** Also ends windows that were opened in the future: otherwise they would last longer by the clock's step backwards. */
function isOver({ window, openedAtMs }: Opened<{ readonly resetAtMs: number }>, nowMs: number): boolean {
  return window.resetAtMs <= nowMs || openedAtMs > nowMs + toleratedBackMs;
}

/**
 * The windows in the memory of one process. Memory is bounded, because callers may use very many addresses: the windows
 * of a name are kept in the order in which they end, so opening a window drops the expired ones and, at the bound, the
 * one that would end next. Windows of other names are never dropped. All windows of a name must have the same length.
 */
export class BoundedWindows<Window extends { readonly resetAtMs: number }> {
  readonly #windowsByName = new Map<string, Map<string, Opened<Window>>>();
  readonly #maxPerName: number;

  constructor(maxPerName = defaultMaxWindows) {
    this.#maxPerName = maxPerName;
  }

  /** Returns the open window, or undefined. */
  find(name: string, key: string, nowMs: number): Window | undefined {
    const opened = this.#windowsByName.get(name)?.get(key);
    return opened === undefined || isOver(opened, nowMs) ? undefined : opened.window;
  }

  /**
   * Stores a window as the one that ends last, replaces a former one of the same key, and evicts older ones if needed.
   */
  open(name: string, key: string, window: Window, nowMs: number): Window {
    const windows = this.#windowsOf(name);
    windows.delete(key);
    for (const [oldKey, oldWindow] of windows) {
      if (!isOver(oldWindow, nowMs) && windows.size < this.#maxPerName) break;
      windows.delete(oldKey);
    }
    windows.set(key, { window, openedAtMs: nowMs });
    return window;
  }

  /** Removes a window. */
  delete(name: string, key: string): void {
    this.#windowsByName.get(name)?.delete(key);
  }

  #windowsOf(name: string): Map<string, Opened<Window>> {
    let windows = this.#windowsByName.get(name);
    if (windows === undefined) {
      windows = new Map();
      this.#windowsByName.set(name, windows);
    }
    return windows;
  }
}
