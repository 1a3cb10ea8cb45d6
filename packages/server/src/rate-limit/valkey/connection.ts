import { createClient, ErrorReply } from '@redis/client';
import { ReplyWatch } from './reply-watch.ts';
import { allScripts } from './scripts.ts';

/** A command waits so long for its answer; then the server counts as away. */
const answerWithinMs = 500;
const connectWithinMs = 2_000;
/** A server that hangs gets no more than this before that is noticed. */
const commandsInFlightMax = 5_000;
const retryAfterMs = { first: 250, max: 2_000 };
/** A connection that lasted for so long was a good one: the next outage begins with the first delay again. */
const stableAfterMs = 10_000;

/** What is used of the driver's client. */
interface Client {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  sendCommand(command: readonly string[]): Promise<unknown>;
  destroy(): void;
}

/** Sends one command. Rejects when the server cannot be used, at once where that is known. */
export type Run = (command: readonly string[]) => Promise<unknown>;

interface ConnectionOptions {
  readonly url: string;
  /** Runs on a new connection, before it counts as one. */
  readonly onConnect: (run: Run) => Promise<void>;
  /** The server can be used, for the first time or again. */
  readonly onUp: () => void;
  /** The server cannot be used any more. Called once for each outage, also when it begins with the first attempt. */
  readonly onDown: (reason: Error) => void;
}

interface Established {
  readonly client: Client;
  readonly watch: ReplyWatch;
  readonly sinceMs: number;
}

/**
 * One connection to Valkey or Redis that is either up or away, and never slow: whatever goes wrong (a closed socket, an
 * answer that does not come, a refusal) drops it, everything in flight fails at once, and it is tried again until it works.
 * Nothing ever waits for it to come back.
 */
export class ValkeyConnection {
  readonly #options: ConnectionOptions;
  #established: Established | undefined;
  #isKnownAway = false;
  #isClosed = false;
  #failures = 0;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#established !== undefined;
  }

  /** Tries to connect, and goes on trying by itself. Answers why the first attempt failed, or undefined. */
  async open(): Promise<Error | undefined> {
    try {
      await this.#connect();
      return undefined;
    } catch (error) {
      const reason = toError(error);
      this.#noteOutage(reason);
      return reason;
    }
  }

  /** Sends one command. */
  run(command: readonly string[]): Promise<unknown> {
    const established = this.#established;
    if (established === undefined) return Promise.reject(new Error('Valkey is away.'));
    const { client, watch } = established;
    if (watch.waiting >= commandsInFlightMax) return Promise.reject(new Error('Too many commands wait for Valkey.'));
    watch.begin();
    return client.sendCommand(command).then(
      (reply) => {
        watch.end();
        return reply;
      },
      (error: unknown) => {
        this.#lose(established, toError(error));
        throw error;
      },
    );
  }

  /** Ends the connection and tries no more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    if (this.#established !== undefined) drop(this.#established);
    this.#established = undefined;
  }

  async #connect(): Promise<void> {
    const client = createClient({
      url: this.#options.url,
      name: 'licensing',
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      // Each would cost a timer, and none of them would run while the server is what keeps us waiting.
      commandOptions: { timeout: 0 },
      socket: { connectTimeout: connectWithinMs, reconnectStrategy: false },
    });
    const watch = new ReplyWatch(answerWithinMs, () => {
      this.#lose(established, new Error(`it gave no answer within ${answerWithinMs} ms`));
    });
    const established: Established = { client, watch, sinceMs: performance.now() };
    client.on('error', (error: unknown) => this.#lose(established, toError(error)));
    try {
      await within(connectWithinMs, this.#greet(client));
    } catch (error) {
      drop(established);
      throw error;
    }
    if (this.#isClosed) return drop(established);
    this.#established = established;
    this.#isKnownAway = false;
    this.#options.onUp();
  }

  async #greet(client: Client): Promise<void> {
    await client.connect();
    const run: Run = (command) => client.sendCommand(command);
    await Promise.all(allScripts.map(({ source }) => run(['SCRIPT', 'LOAD', source])));
    await this.#options.onConnect(run);
  }

  #lose(established: Established, reason: Error): void {
    if (this.#established !== established) return;
    this.#established = undefined;
    if (performance.now() - established.sinceMs >= stableAfterMs) this.#failures = 0;
    // Before whatever waits learns of it, so that it finds the connection away.
    this.#noteOutage(reason);
    drop(established);
  }

  #noteOutage(reason: Error): void {
    if (this.#isClosed) return;
    if (!this.#isKnownAway) {
      this.#isKnownAway = true;
      this.#options.onDown(reason);
    }
    const delayMs = Math.min(retryAfterMs.first * 2 ** this.#failures, retryAfterMs.max);
    this.#failures += 1;
    // Apart from each other, so that the nodes do not all come at once.
    this.#retryTimer = setTimeout(() => void this.open(), delayMs * (0.8 + Math.random() * 0.4)).unref();
  }
}

/** True when the server answered, and what it said is about the settings: it will say the same next time. */
export function isRefusal(error: Error): boolean {
  return error instanceof ErrorReply && /^(WRONGPASS|NOAUTH|NOPERM)|DB index|ACL failure/i.test(error.message);
}

function drop({ client, watch }: Established): void {
  watch.stop();
  if (client.isOpen) client.destroy();
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no connection was made within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Without a message, as some network errors are, it would say nothing. */
function toError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error.message !== '') return error;
  return new Error(String((error as NodeJS.ErrnoException).code ?? error.name), { cause: error });
}
