import { isIP } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import type { EventsTable } from '../../../db/tables/tenant/webhooks.ts';
import {
  type AddressPolicy,
  createResolver,
  HostRefusedError,
  hostOf,
  type Resolve,
} from '../../../lib/public-addresses.ts';
import type { Connections } from '../../../lib/public-connections.ts';

/** Timeout of one attempt, from name resolution to the last byte of the response that is read. */
const defaultTimeoutMs = 15_000;
/** Maximum bytes of a response body that are read and stored. */
const responseBodyMaxBytes = 16 * 1024;
const apiVersion = '1';

/** The media type of the body of a delivery. */
export const messageMediaType = 'application/json';

/** Returns the body of a delivery. It is identical, byte for byte, in every attempt. */
export function messageBody(event: EventsTable, tenantId: string): string {
  const { id, type, occurred_at, request_id, data_json } = event;
  const head = { id, type, occurred_at, tenant_id: tenantId, request_id, api_version: apiVersion };
  // `data` is stored as JSON text, so it is inserted without parsing.
  return `${JSON.stringify(head).slice(0, -1)},"data":${data_json}}`;
}

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response to one request, or the reason for its absence. */
export interface Reply {
  /** Null if there was no response. */
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** Null for a 2xx response that was read within the timeout. */
  readonly error: FailureClass | `status_${number}` | null;
  readonly retryAfterMs: number | null;
}

/** The result of one request. */
export interface SendResult extends Reply {
  readonly durationMs: number;
}

/** Posts messages to endpoints, which may be hostile: they may respond with anything, slowly, or not respond. */
export interface WebhookSender {
  readonly timeoutMs: number;
  /**
   * Sends one message. Never throws: every failure is a result. Redirects are not followed. When `cancellation` is
   * aborted, the request ends immediately with the error `cancelled`.
   */
  send(message: Message, cancellation?: AbortSignal): Promise<SendResult>;
  /** Closes all connections. */
  close(): void;
}

interface WebhookSenderOptions {
  readonly addresses: AddressPolicy;
  /** Whether http is allowed. If not, stored http URLs from earlier settings are refused too. */
  readonly allowHttp: boolean;
  readonly userAgent: string;
  readonly nowMs: () => number;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

/** Creates the sender of a process. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { addresses, userAgent, nowMs, timeoutMs = defaultTimeoutMs } = options;
  let connections: Promise<Connections> | undefined;
  return {
    timeoutMs,
    async send(message, cancellation) {
      // The first message loads undici: most processes start long before they send one, or send none.
      connections ??= import('../../../lib/public-connections.ts').then(({ Connections }) => {
        const { resolve = createResolver() } = options;
        return new Connections({ addresses, resolve, connectTimeoutMs: timeoutMs });
      });
      const opened = await connections;
      const startedMs = performance.now();
      const reply = await attempt(opened, message, cancellation).catch((error: unknown) => ({
        ...noReply,
        error: classifyFailure(error),
      }));
      return { ...reply, durationMs: Math.round(performance.now() - startedMs) };
    },
    close() {
      void connections?.then((opened) => opened.close());
    },
  };

  async function attempt(opened: Connections, message: Message, cancellation: AbortSignal | undefined): Promise<Reply> {
    const url = new URL(message.url);
    const hostname = hostOf(url);
    if (url.protocol !== 'https:' && !options.allowHttp) throw new DeliveryError('url_invalid');
    // Names are checked when they are resolved.
    if (isIP(hostname) !== 0 && !addresses.allows(hostname)) throw new DeliveryError('address_not_allowed');
    if (cancellation?.aborted) throw new DeliveryError('cancelled');
    const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
    const origin = `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`;
    const headers = { 'user-agent': userAgent, 'content-type': messageMediaType, ...message.headers };
    const request = { origin, path: url.pathname + url.search, method: 'POST', headers, body: message.body } as const;
    return await new Promise((onReply) => {
      new Exchange(opened, { request, timeoutMs, nowMs, cancellation, onReply });
    });
  }
}

const noReply = { responseStatus: null, responseBody: null, retryAfterMs: null } as const;

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
class Exchange implements Dispatcher.DispatchHandler {
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

/** Parses `Retry-After` (RFC 9110): seconds or a date. Returns null for any other value and for a past date. */
function parseRetryAfterMs(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const untilMs = /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(untilMs) || untilMs <= nowMs ? null : untilMs - nowMs;
}

/** A failure with a known class. */
class DeliveryError extends Error {
  readonly failure: FailureClass;

  constructor(failure: FailureClass, cause?: unknown) {
    super(failure, { cause });
    this.name = 'DeliveryError';
    this.failure = failure;
  }
}

/** Why a request received no valid response. Error statuses are recorded separately, as `status_404` and so on. */
type FailureClass =
  | 'address_not_allowed'
  | 'cancelled'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns_failed'
  | 'host_unreachable'
  | 'request_failed'
  | 'response_malformed'
  | 'secret_unreadable'
  | 'timeout'
  | 'tls_invalid'
  | 'url_invalid';

const classes: readonly (readonly [RegExp, FailureClass])[] = [
  [/^ERR_INVALID_URL$/, 'url_invalid'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_DESTROYED)$/, 'connection_reset'],
  [/^(ENOTFOUND|EAI_)/, 'dns_failed'],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EINVAL|EACCES|EPERM)$/, 'host_unreachable'],
  [/^(ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'timeout'],
  [/^UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/, 'response_malformed'],
  [/^(EPROTO|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/, 'tls_invalid'],
];

/** Returns the class of an error: a name that reveals neither addresses nor secrets. */
function classifyFailure(error: unknown): FailureClass {
  if (error instanceof DeliveryError) return error.failure;
  if (error instanceof HostRefusedError) return error.reason;
  const code = codeOf(error);
  const known = classes.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return known[1];
  // Errors of undici's parser have no code.
  return error instanceof Error && error.name === 'HTTPParserError' ? 'response_malformed' : 'request_failed';
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const code = Reflect.get(error, 'code');
  if (typeof code === 'string') return code;
  // No address of several could be reached: the first error is used.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}
