import { createClient, ErrorReply } from '@redis/client';
import { ReplyWatch } from './reply-watch.ts';
import { allScripts } from './scripts.ts';

/** When a command has no reply after this time, the server is treated as unavailable. */
const replyTimeoutMs = 500;
/** The time limit for connecting, authenticating and loading the scripts. */
const connectTimeoutMs = 2_000;
/** The maximum number of commands without a reply; it bounds memory while the server hangs. */
const commandsInFlightMax = 5_000;
const retryAfterMs = { first: 250, max: 2_000 };
/** A connection that lasted this long resets the retry delay to its first value. */
const stableAfterMs = 10_000;

/** The part of the driver's client that is used here. */
interface Client {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  sendCommand(command: readonly string[]): Promise<unknown>;
  destroy(): void;
}

/** Sends one command. Rejects when the server is unavailable, immediately when that is already known. */
export type Run = (command: readonly string[]) => Promise<unknown>;

interface ConnectionOptions {
  readonly url: string;
  /** Runs on a new connection before it is used. A rejection drops the connection. */
  readonly onConnect: (run: Run) => Promise<void>;
  /** Called when the server becomes available, for the first time or again. */
  readonly onUp: () => void;
  /** Called once per outage, when the server becomes unavailable or the first attempt to connect fails. */
  readonly onDown: (reason: Error) => void;
}

interface Established {
  readonly client: Client;
  readonly watch: ReplyWatch;
  readonly sinceMs: number;
}

/**
 * One connection to Valkey or Redis that is either up or down, and never slow. Any failure (a closed socket, a missing
 * reply, a rejected command) drops the connection and fails all commands in flight at once. It then reconnects in the
 * background until it succeeds; no command waits for that.
 */
export class ValkeyConnection {
  readonly #options: ConnectionOptions;
  #established: Established | undefined;
  #isKnownDown = false;
  #isClosed = false;
  #failures = 0;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** True while commands can be sent. */
  get isUp(): boolean {
    return this.#established !== undefined;
  }

  /** Connects, and retries in the background on failure. Returns the error of the first attempt, or undefined. */
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

  /** Sends one command. Rejects immediately while the connection is down. */
  run(command: readonly string[]): Promise<unknown> {
    const established = this.#established;
    if (established === undefined) return Promise.reject(new Error('Valkey is unavailable.'));
    const { client, watch } = established;
    if (watch.waiting >= commandsInFlightMax)
      return Promise.reject(new Error('Too many commands are waiting for a reply of Valkey.'));
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

  /** Closes the connection and stops reconnecting. */
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
      // ReplyWatch replaces the driver's timeouts, which need a timer per command and end once it is written.
      commandOptions: { timeout: 0 },
      socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false },
    });
    const watch = new ReplyWatch(replyTimeoutMs, () => {
      this.#lose(established, new Error(`no reply within ${replyTimeoutMs} ms`));
    });
    const established: Established = { client, watch, sinceMs: performance.now() };
    client.on('error', (error: unknown) => this.#lose(established, toError(error)));
    try {
      await within(connectTimeoutMs, this.#prepare(client));
    } catch (error) {
      drop(established);
      throw error;
    }
    if (this.#isClosed) return drop(established);
    this.#established = established;
    this.#isKnownDown = false;
    this.#options.onUp();
  }

  async #prepare(client: Client): Promise<void> {
    await client.connect();
    const run: Run = (command) => client.sendCommand(command);
    await Promise.all(allScripts.map(({ source }) => run(['SCRIPT', 'LOAD', source])));
    await this.#options.onConnect(run);
  }

  #lose(established: Established, reason: Error): void {
    if (this.#established !== established) return;
    this.#established = undefined;
    if (performance.now() - established.sinceMs >= stableAfterMs) this.#failures = 0;
    // Before the commands in flight fail, so that their callers already see the connection as down.
    this.#noteOutage(reason);
    drop(established);
  }

  #noteOutage(reason: Error): void {
    if (this.#isClosed) return;
    if (!this.#isKnownDown) {
      this.#isKnownDown = true;
      this.#options.onDown(reason);
    }
    const delayMs = Math.min(retryAfterMs.first * 2 ** this.#failures, retryAfterMs.max);
    this.#failures += 1;
    // With jitter, so that the nodes do not all reconnect at the same moment.
    this.#retryTimer = setTimeout(() => void this.open(), delayMs * (0.8 + Math.random() * 0.4)).unref();
  }
}

/** Returns true when the server rejected the settings (password, rights, database), so that a retry cannot succeed. */
export function isRefusal(error: Error): boolean {
  return error instanceof ErrorReply && /^(WRONGPASS|NOAUTH|NOPERM)|DB index|ACL failure/i.test(error.message);
}

function drop({ client, watch }: Established): void {
  watch.stop();
  if (client.isOpen) client.destroy();
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no connection within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns an `Error` with a message: some network errors have only a code. */
function toError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error.message !== '') return error;
  return new Error(String((error as NodeJS.ErrnoException).code ?? error.name), { cause: error });
}
