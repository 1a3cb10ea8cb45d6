/** After the time is up it waits this much longer: an answer may be there that this process had no time to read. */
const graceMs = 50;

/**
 * Notices that a server answers no more. Commands of one connection are answered in their order, so one timer for the
 * oldest is enough; the driver's own time limit per command ends when the command is written.
 */
export class ReplyWatch {
  readonly #withinMs: number;
  readonly #onLate: () => void;
  /** When the commands in flight began, by `performance.now()`; those before `#oldest` were answered. */
  #begunAtMs: number[] = [];
  #oldest = 0;
  #answered = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `onLate` once, when a command has had no answer for `withinMs`. */
  constructor(withinMs: number, onLate: () => void) {
    this.#withinMs = withinMs;
    this.#onLate = onLate;
  }

  /** How many commands have no answer yet. */
  get waiting(): number {
    return this.#begunAtMs.length - this.#oldest;
  }

  /** A command is sent. */
  begin(): void {
    this.#begunAtMs.push(performance.now());
    if (this.#timer === undefined) this.#lookAgain(this.#withinMs);
  }

  /** The oldest command was answered. */
  end(): void {
    this.#oldest += 1;
    this.#answered += 1;
    if (this.#oldest < 1024) return;
    this.#begunAtMs = this.#begunAtMs.slice(this.#oldest);
    this.#oldest = 0;
  }

  /** Nothing is waited for any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#begunAtMs = [];
    this.#oldest = 0;
  }

  #lookAgain(afterMs: number): void {
    this.#timer = setTimeout(() => this.#look(), afterMs).unref();
  }

  #look(): void {
    this.#timer = undefined;
    const begunAtMs = this.#begunAtMs[this.#oldest];
    if (begunAtMs === undefined) return;
    const leftMs = begunAtMs + this.#withinMs - performance.now();
    if (leftMs > 0) this.#lookAgain(leftMs);
    else this.#lookOnceMore();
  }

  #lookOnceMore(): void {
    const answered = this.#answered;
    this.#timer = setTimeout(() => {
      // What arrived while this process was busy is read before this is called.
      setImmediate(() => {
        if (this.#answered === answered && this.waiting > 0) this.#onLate();
        else this.#look();
      });
    }, graceMs).unref();
  }
}
