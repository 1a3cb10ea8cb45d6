import type { Dispatcher } from 'undici';
import type { Connections, Route } from './connections.ts';
import { classifyFailure, DeliveryError, type FailureClass } from './failure.ts';
import { ResponseBody } from './response-body.ts';
import { parseRetryAfterMs } from './retry-schedule.ts';

/** The response to one request, or why there is none. */
export interface Reply {
  /** Null if there was no response. */
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** Null for a 2xx response that was read within the timeout. */
  readonly error: FailureClass | `status_${number}` | null;
  readonly retryAfterMs: number | null;
}

interface ExchangeOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly request: Dispatcher.DispatchOptions;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
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
  readonly #body = new ResponseBody();
  #route: Route;
  /** Absent until the request has a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #isOnKeptConnection = false;
  #hasResponse = false;
  #isRepeated = false;
  #head: Pick<Reply, 'responseStatus' | 'retryAfterMs'> = { responseStatus: null, retryAfterMs: null };
  #isSettled = false;

  constructor(connections: Connections, options: ExchangeOptions) {
    this.#connections = connections;
    this.#options = options;
    this.#timer = setTimeout(() => this.abort('timeout'), options.timeoutMs);
    this.#route = this.#send({ fresh: false });
  }

  /** Ends the attempt with this error, and closes its connection. Does nothing after the end of the attempt. */
  abort(reason: FailureClass): void {
    this.#fail(new DeliveryError(reason));
    this.#controller?.abort(new DeliveryError(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#isOnKeptConnection = !this.#connections.isOpening;
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
    if (this.#body.add(chunk)) return;
    this.#succeed();
    controller.abort(new DeliveryError('cancelled'));
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: unknown, error: Error): void {
    const isClosed = classifyFailure(error) === 'connection_reset';
    const keptWasClosed = this.#isOnKeptConnection && !this.#hasResponse && isClosed;
    if (keptWasClosed && !this.#isRepeated && !this.#isSettled && !this.#connections.isClosed) {
      this.#isRepeated = true;
      this.#connections.release(this.#options.origin, this.#route);
      this.#route = this.#send({ fresh: true });
      return;
    }
    // undici reads neither of these two interim responses.
    if (error.message === 'bad upgrade') {
      this.#head = { responseStatus: 101, retryAfterMs: null };
      this.#succeed();
    } else this.#fail(error.message === 'bad response' ? new DeliveryError('response_malformed', error) : error);
  }

  #send(how: { readonly fresh: boolean }): Route {
    const { origin, request } = this.#options;
    const route = this.#connections.take(origin, how);
    route.agent.dispatch({ ...request, origin, reset: route.reset }, this);
    return route;
  }

  /** Ends the attempt after a complete response; a response is complete once 16 KiB of its body are read. */
  #succeed(): void {
    const status = this.#head.responseStatus ?? 0;
    const error = status >= 200 && status < 300 ? null : (`status_${status}` as const);
    this.#settle({ ...this.#head, responseBody: this.#body.toText(), error });
  }

  /** Ends the attempt. A status that was received is kept, but an incomplete response is a failure. */
  #fail(error: unknown): void {
    this.#settle({ ...this.#head, responseBody: null, error: classifyFailure(error) });
  }

  #settle(reply: Reply): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    // undici frees the connection with `setImmediate` after this call. The next request should find it free.
    queueMicrotask(() => setImmediate(() => this.#end(reply)));
  }

  #end(reply: Reply): void {
    this.#connections.release(this.#options.origin, this.#route);
    this.#options.onReply(reply);
  }
}
