import type { Agent, Dispatcher } from 'undici';
import type { Connections } from './connections.ts';
import { classifyFailure, DeliveryError, type FailureClass, parseRetryAfterMs } from './outcome.ts';

/** Maximum bytes of a response body that are read and stored. */
const responseBodyMaxBytes = 16 * 1024;

/** The response to one request, or the reason for its absence. */
export interface Reply {
  /** Null if there was no response. */
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** Null for a 2xx response that was read within the timeout. */
  readonly error: FailureClass | `status_${number}` | null;
  readonly retryAfterMs: number | null;
}

interface ExchangeOptions {
  readonly request: Dispatcher.DispatchOptions & { readonly origin: string };
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  readonly cancellation: AbortSignal | undefined;
  /** Called once, with the result. */
  readonly onReply: (reply: Reply) => void;
}

/** Headers by their names in lower case. A header that was sent more than once has several values. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * One attempt: a request, and a second one if the endpoint had closed the kept connection of the first. One timer
 * covers all of it, so a response that trickles in gets no more time than a silent one.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #options: ExchangeOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #onCancel = () => this.#abort('cancelled');
  #agent: Agent;
  readonly #body: Buffer[] = [];
  #bodyBytes = 0;
  /** Absent while the request has no connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #head: Pick<Reply, 'responseStatus' | 'retryAfterMs'> = { responseStatus: null, retryAfterMs: null };
  #hasResponse = false;
  #isRepeated = false;
  #isSettled = false;

  constructor(connections: Connections, options: ExchangeOptions) {
    this.#connections = connections;
    this.#options = options;
    this.#timer = setTimeout(() => this.#abort('timeout'), options.timeoutMs);
    options.cancellation?.addEventListener('abort', this.#onCancel);
    this.#agent = connections.agentFor(options.request.origin, { fresh: false });
    this.#agent.dispatch(options.request, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#connections.countIdle(this.#agent, this.#options.request.origin, -1);
    // Nothing is sent then.
    if (this.#isSettled) controller.abort(new DeliveryError('cancelled'));
  }

  onResponseStarted(): void {
    this.#hasResponse = true;
  }

  onResponseStart(_controller: unknown, statusCode: number, headers: Headers): void {
    // An interim response.
    if (statusCode < 200) return;
    const [retryAfter] = [headers['retry-after']].flat();
    const retryAfterMs = parseRetryAfterMs(retryAfter, this.#options.nowMs());
    this.#head = { responseStatus: statusCode, retryAfterMs };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body.push(chunk);
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes <= responseBodyMaxBytes) return;
    this.#succeed();
    controller.abort(new DeliveryError('cancelled'));
  }

  onResponseEnd(): void {
    this.#endUse();
    this.#succeed();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#endUse();
    const isClosed = !this.#hasResponse && classifyFailure(error) === 'connection_reset' && hasReceivedBytes(error);
    if (isClosed && !this.#isRepeated && !this.#isSettled) {
      this.#isRepeated = true;
      this.#agent = this.#connections.agentFor(this.#options.request.origin, { fresh: true });
      this.#agent.dispatch(this.#options.request, this);
    } else if (error.message === 'bad upgrade') {
      // undici reads neither of these two interim responses.
      this.#head = { responseStatus: 101, retryAfterMs: null };
      this.#succeed();
    } else this.#fail(error.message === 'bad response' ? new DeliveryError('response_malformed', error) : error);
  }

  #endUse(): void {
    if (this.#controller === undefined) return;
    this.#controller = undefined;
    this.#connections.countIdle(this.#agent, this.#options.request.origin, 1);
  }

  /** Ends the attempt with this error, and closes its connection. Does nothing after the end of the attempt. */
  #abort(reason: FailureClass): void {
    this.#fail(new DeliveryError(reason));
    this.#controller?.abort(new DeliveryError(reason));
  }

  /** Ends the attempt after a complete response; a response is complete once 16 KiB of its body are read. */
  #succeed(): void {
    const status = this.#head.responseStatus ?? 0;
    const error = status >= 200 && status < 300 ? null : (`status_${status}` as const);
    this.#settle({ ...this.#head, responseBody: bodyText(this.#body), error });
  }

  /** Ends the attempt. A status that was received is kept, but an incomplete response is a failure. */
  #fail(error: unknown): void {
    this.#settle({ ...this.#head, responseBody: null, error: classifyFailure(error) });
  }

  #settle(reply: Reply): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#options.cancellation?.removeEventListener('abort', this.#onCancel);
    // undici frees the connection with `setImmediate` after this call. The next request should find it free.
    queueMicrotask(() => setImmediate(() => this.#options.onReply(reply)));
  }
}

/**
 * Converts a body to text of at most 16 KiB in UTF-8, or null if it is empty. Replaces NUL, which PostgreSQL cannot
 * store, and invalid UTF-8.
 */
function bodyText(chunks: readonly Buffer[]): string | null {
  const bytes = Buffer.concat(chunks).subarray(0, responseBodyMaxBytes);
  if (bytes.length === 0) return null;
  const text = new TextDecoder().decode(bytes).replaceAll('\u0000', '\ufffd');
  // A byte that is not valid UTF-8 becomes U+FFFD, which is encoded in three bytes.
  const encoded = Buffer.from(text, 'utf8');
  return new TextDecoder().decode(encoded.subarray(0, responseBodyMaxBytes), { stream: true });
}

/**
 * Returns true if the endpoint closed a connection that had received bytes before, which for a request without a
 * response means that the connection was kept from an earlier request.
 */
function hasReceivedBytes(error: Error): boolean {
  const socket: unknown = Reflect.get(error, 'socket');
  return typeof socket === 'object' && socket !== null && Number(Reflect.get(socket, 'bytesRead')) > 0;
}
