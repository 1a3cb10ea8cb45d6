import { LicensingError } from './error.ts';

const baseDelayMs = 250;
const maxDelayMs = 4000;

/** The longest delay of a timer. A longer deadline counts as unlimited. */
const maxTimerMs = 2 ** 31 - 1;

/** Returns the delay before the next attempt: full jitter over a range that doubles with each attempt, from 0. */
function backoffMs(attempt: number): number {
  return Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** attempt);
}

/**
 * Returns the milliseconds of a `Retry-After` header (RFC 9110, section 10.2.3): seconds, or a date, which is compared
 * with the response's own `Date`, because the clock of this machine may be wrong. Undefined without a valid header.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'>): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const until = Date.parse(value);
  const sentAt = Date.parse(headers.get('date') ?? '') || Date.now();
  return Number.isNaN(until) ? undefined : Math.max(0, until - sentAt);
}

/** The end of one call with all its attempts: the time is over, or a caller's signal aborts it. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #ended: Promise<never>;
  readonly #endsAtMs: number;
  readonly #listeners: [AbortSignal, () => void][] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failure: LicensingError | undefined;

  /** Starts the time. `signals` may be aborted already. */
  constructor(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]) {
    const { signal } = this.#controller;
    this.#ended = new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    // The call may be over before the promise is awaited.
    this.#ended.catch(() => undefined);
    this.#endsAtMs = performance.now() + timeoutMs;
    if (timeoutMs <= maxTimerMs) this.#timer = setTimeout(() => this.#timeOut(timeoutMs), timeoutMs);
    for (const given of signals) if (given) this.#follow(given);
  }

  /** The signal to pass to `fetch`. Its reason is the `LicensingError` of the call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get leftMs(): number {
    return this.#endsAtMs - performance.now();
  }

  /** Notes why the last attempt failed, as the cause of a later timeout. */
  noteFailure(failure: LicensingError): void {
    this.#failure = failure;
  }

  /** Waits for `work`, and rejects as soon as the call ends, even if `work` ignores the signal. */
  race<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([this.#ended, work]);
  }

  /** Waits. Rejects when the call ends before. */
  async wait(durationMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.race(
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, durationMs);
        }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** Stops the timer and removes the listeners. */
  end(): void {
    clearTimeout(this.#timer);
    for (const [signal, listener] of this.#listeners) signal.removeEventListener('abort', listener);
  }

  #follow(signal: AbortSignal): void {
    const abort = () => {
      const message = 'The caller aborted the request. Repeat it if needed.';
      this.#controller.abort(new LicensingError({ code: 'NETWORK.ABORTED', message, cause: signal.reason }));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#listeners.push([signal, abort]);
  }

  #timeOut(timeoutMs: number): void {
    const message = `The service did not answer within ${timeoutMs} ms. Try again, or raise timeoutMs.`;
    this.#controller.abort(new LicensingError({ code: 'NETWORK.TIMEOUT', message, cause: this.#failure }));
  }
}

/**
 * Repeats `attempt` until it succeeds, `mayRetry` refuses, or the next attempt would begin after the deadline. Throws the
 * failure of the last attempt.
 */
export async function withRetries<Result>(
  deadline: Deadline,
  attempt: () => Promise<Result>,
  mayRetry: (failure: LicensingError, attempts: number) => boolean,
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    const { result, failure } = await settle(deadline, attempt);
    if (failure === undefined) return result;
    const waitMs = failure.retryAfterMs ?? backoffMs(attempts - 1);
    if (deadline.signal.aborted || !mayRetry(failure, attempts) || waitMs >= deadline.leftMs) throw failure;
    deadline.noteFailure(failure);
    await deadline.wait(waitMs);
  }
}

type Settled<Result> =
  | { readonly result: Result; readonly failure?: undefined }
  | { readonly result?: undefined; readonly failure: LicensingError };

async function settle<Result>(deadline: Deadline, attempt: () => Promise<Result>): Promise<Settled<Result>> {
  try {
    deadline.signal.throwIfAborted();
    return { result: await deadline.race(attempt()) };
  } catch (thrown) {
    return { failure: toFailure(deadline.signal.aborted ? deadline.signal.reason : thrown) };
  }
}

function toFailure(thrown: unknown): LicensingError {
  if (thrown instanceof LicensingError) return thrown;
  // Node wraps the cause; other runtimes have the code on the error itself, whose text may hold the URL with the key.
  // Browsers say nothing.
  const { cause, code = cause?.code } = Object(thrown);
  const reason = typeof code === 'string' ? ` (${cause?.message || code})` : '';
  const message = `The service could not be reached${reason}. Check the network, baseUrl and CORS (browsers).`;
  return new LicensingError({ code: 'NETWORK.UNREACHABLE', message, cause: thrown });
}
