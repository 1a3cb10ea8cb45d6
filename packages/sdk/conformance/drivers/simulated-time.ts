type Callback = () => void;

/** The part of Node's timers that the package can use. */
interface Timer {
  readonly atMs: number;
  readonly callback: Callback;
}

/**
 * Replaces the timers of the package by ones that fire as soon as nothing else can happen, and notes the time that was
 * skipped between requests. Timers of Node itself, on which `fetch` depends, stay real.
 */
export class SimulatedTime {
  readonly #timers = new Map<object, Timer>();
  readonly #realNow = performance.now.bind(performance);
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  #skippedMs = 0;
  #skippedAtLastRequestMs: number | undefined;
  #requestsInFlight = 0;
  #waitedMs: number[] = [];

  /** Runs one call of the package in simulated time. Returns what came of it, and the waits between its requests. */
  async run<Result>(call: () => Promise<Result>): Promise<{ readonly result: Result; readonly waitedMs: number[] }> {
    this.#waitedMs = [];
    this.#skippedAtLastRequestMs = undefined;
    this.#install();
    try {
      return { result: await call(), waitedMs: this.#waitedMs };
    } finally {
      Object.assign(globalThis, this.#real);
      Reflect.deleteProperty(performance, 'now');
      this.#timers.clear();
    }
  }

  /** A `fetch` that reads the whole body at once, so that no time is skipped while something arrives. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (this.#skippedAtLastRequestMs !== undefined) this.#waitedMs.push(this.#skippedMs - this.#skippedAtLastRequestMs);
    this.#requestsInFlight += 1;
    try {
      const response = await fetch(url, init);
      const body = await response.arrayBuffer();
      const { status, headers } = response;
      return new Response(body.byteLength === 0 ? null : body, { status, headers });
    } finally {
      this.#requestsInFlight -= 1;
      this.#skippedAtLastRequestMs = this.#skippedMs;
      this.#fireWhenIdle();
    }
  };

  #install(): void {
    const setTimeout = (callback: Callback, delayMs = 0) => {
      if (isCalledByNode()) return this.#real.setTimeout(callback, delayMs);
      const handle = {};
      this.#timers.set(handle, { atMs: this.#skippedMs + Math.max(0, delayMs), callback });
      this.#fireWhenIdle();
      return handle;
    };
    const clearTimeout = (handle: NodeJS.Timeout | object) => {
      if (!this.#timers.delete(handle)) this.#real.clearTimeout(handle as NodeJS.Timeout);
    };
    Object.assign(globalThis, { setTimeout, clearTimeout });
    performance.now = () => this.#realNow() + this.#skippedMs;
  }

  #fireWhenIdle(): void {
    // After everything that is ready now.
    setImmediate(() => setImmediate(() => this.#fireNext()));
  }

  #fireNext(): void {
    if (this.#requestsInFlight > 0) return;
    const [first] = [...this.#timers].sort(([, one], [, other]) => one.atMs - other.atMs);
    if (first === undefined) return;
    const [handle, timer] = first;
    this.#timers.delete(handle);
    this.#skippedMs = Math.max(this.#skippedMs, timer.atMs);
    timer.callback();
    this.#fireWhenIdle();
  }
}

/** Returns true if the caller of the function that calls this one is part of Node, such as its `fetch`. */
function isCalledByNode(): boolean {
  const [, , , caller = ''] = new Error().stack?.split('\n') ?? [];
  return caller.includes('node:internal');
}
