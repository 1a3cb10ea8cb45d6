/** The extra time after a timeout: a busy process may not yet have read a reply that already arrived. */
const graceMs = 50;

/**
 * Detects a server that stopped replying. Replies on one connection arrive in the order of the commands, so one timer
 * for the oldest command is enough. The driver's own timeout does not help: it ends when the command is written.
 */
export class ReplyWatch {
  readonly #withinMs: number;
  readonly #onLate: () => void;
  /** The start times of commands, by `performance.now()`; those before index `#oldest` have a reply. */
  #startedAtMs: number[] = [];
  #oldest = 0;
  #replies = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onLate` is called once, when a command has had no reply for `withinMs`. */
  constructor(withinMs: number, onLate: () => void) {
    this.#withinMs = withinMs;
    this.#onLate = onLate;
  }

  /** The number of commands without a reply. */
  get waiting(): number {
    return this.#startedAtMs.length - this.#oldest;
  }

  /** Records that a command is sent. */
  begin(): void {
    this.#startedAtMs.push(performance.now());
    if (this.#timer === undefined) this.#checkAfter(this.#withinMs);
  }

  /** Records the reply to the oldest command. */
  end(): void {
    this.#oldest += 1;
    this.#replies += 1;
    if (this.#oldest < 1024) return;
    this.#startedAtMs = this.#startedAtMs.slice(this.#oldest);
    this.#oldest = 0;
  }

  /** Stops watching and clears the list of commands. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#startedAtMs = [];
    this.#oldest = 0;
  }

  #checkAfter(afterMs: number): void {
    this.#timer = setTimeout(() => this.#check(), afterMs).unref();
  }

  #check(): void {
    this.#timer = undefined;
    const startedAtMs = this.#startedAtMs[this.#oldest];
    if (startedAtMs === undefined) return;
    const leftMs = startedAtMs + this.#withinMs - performance.now();
    if (leftMs > 0) this.#checkAfter(leftMs);
    else this.#checkAfterGrace();
  }

  #checkAfterGrace(): void {
    const replies = this.#replies;
    this.#timer = setTimeout(() => {
      // setImmediate runs after the event loop has read the replies that arrived while this process was busy.
      setImmediate(() => {
        if (this.#replies === replies && this.waiting > 0) this.#onLate();
        else this.#check();
      });
    }, graceMs).unref();
  }
}
