/** At about 200 bytes each, what one name may hold at most: 20 MB. */
const defaultMaxWindows = 100_000;

/** So far a clock may go back, as NTP sets it right, without opening windows anew. */
const toleratedBackMs = 5_000;

interface Opened<Window> {
  readonly window: Window;
  readonly openedAtMs: number;
}

/** A window that was opened in what is now the future would stay for as long as the clock was set back. */
function isOver({ window, openedAtMs }: Opened<{ readonly resetAtMs: number }>, nowMs: number): boolean {
  return window.resetAtMs <= nowMs || openedAtMs > nowMs + toleratedBackMs;
}

/**
 * The windows that one process remembers. Memory is bounded against callers with very many addresses: the windows of
 * one name stand in the order in which they end, so each new one drops those that are over, and at the bound the one
 * that would end next. Windows of another name are never touched. All windows of a name must have one length.
 */
export class BoundedWindows<Window extends { readonly resetAtMs: number }> {
  readonly #windowsByName = new Map<string, Map<string, Opened<Window>>>();
  readonly #maxPerName: number;

  constructor(maxPerName = defaultMaxWindows) {
    this.#maxPerName = maxPerName;
  }

  /** The window that is open, or undefined. */
  find(name: string, key: string, nowMs: number): Window | undefined {
    const opened = this.#windowsByName.get(name)?.get(key);
    return opened === undefined || isOver(opened, nowMs) ? undefined : opened.window;
  }

  /** Puts a window at the end of the order, in the place of a former one of the same key, and makes room before it. */
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

  /** Forgets a window, whether it is over or not. */
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
