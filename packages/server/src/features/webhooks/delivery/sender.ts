import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { memoizeText } from '../../../lib/memoize-text.ts';
import { nodeHttp, nodeHttps } from '../../../lib/node-http.ts';
import type { AddressPolicy } from '../endpoints/address-policy.ts';
import { hostOf } from '../endpoints/webhook-url.ts';
import type { Connections } from './connections.ts';
import { classifyFailure, DeliveryError, type FailureClass } from './failure.ts';
import { createResolver, type Resolve } from './resolver.ts';
import { readResponseBody } from './response-body.ts';
import { parseRetryAfterMs } from './retry-schedule.ts';

/** Timeout of one attempt, from name resolution to the last byte of the response that is read. */
const defaultTimeoutMs = 15_000;
const headersMaxBytes = 16 * 1024;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of one request. */
export interface SendResult {
  /** Null if there was no response. */
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** Null for a 2xx response that was read within the timeout. */
  readonly error: FailureClass | `status_${number}` | null;
  readonly retryAfterMs: number | null;
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

/** A URL as options of `node:http`. */
interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  /** Why nothing is sent to the URL; null if it is allowed, or if its name must be resolved first. */
  readonly refusal: FailureClass | null;
}

function readTarget(text: string, { addresses, allowHttp }: WebhookSenderOptions): Target {
  const url = new URL(text);
  const hostname = hostOf(url);
  const { protocol, port, pathname, search } = url;
  // Only literal addresses are checked here; names are checked when they are resolved.
  const isRefused = isIP(hostname) !== 0 && !addresses.allows(hostname);
  const refusal = protocol !== 'https:' && !allowHttp ? 'url_invalid' : isRefused ? 'address_not_allowed' : null;
  return { protocol, hostname, port, path: pathname + search, refusal };
}

type Reply = Pick<SendResult, 'responseStatus' | 'responseBody' | 'error' | 'retryAfterMs'>;

const noReply = { responseStatus: null, responseBody: null, retryAfterMs: null } as const;

/** Creates the sender of a process. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { nowMs, timeoutMs = defaultTimeoutMs, resolve = createResolver() } = options;
  let connections: Promise<Connections> | undefined;
  // Cached because an endpoint receives many messages, and the rules do not change while the process runs.
  const targetOf = memoizeText((text) => readTarget(text, options));
  return {
    timeoutMs,
    async send(message, cancellation) {
      const startedMs = performance.now();
      const response = await attempt(message, cancellation).catch((error: unknown) => ({
        ...noReply,
        error: classifyFailure(error),
      }));
      return { ...response, durationMs: Math.round(performance.now() - startedMs) };
    },
    close() {
      void connections?.then((opened) => opened.close());
    },
  };

  async function attempt(message: Message, cancellation: AbortSignal | undefined): Promise<Reply> {
    const target = targetOf(message.url);
    if (target.refusal !== null) throw new DeliveryError(target.refusal);
    const exchange = new Exchange(target, withAgent(message), await openConnections(), nowMs);
    return await exchange.run(timeoutMs, cancellation);
  }

  /** The first message loads the agents: most processes start long before they send one, or send none. */
  function openConnections(): Promise<Connections> {
    connections ??= import('./connections.ts').then((module) => module.createConnections(options.addresses, resolve));
    return connections;
  }

  function withAgent(message: Message): Message {
    return { ...message, headers: { ...message.headers, 'user-agent': options.userAgent } };
  }
}

/** One attempt: a request, and a second one if the endpoint had closed the kept connection of the first. */
class Exchange {
  readonly #target: Target;
  readonly #message: Message;
  readonly #connections: Connections;
  readonly #nowMs: () => number;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  /** The error of the request, even after the response started: the response itself only reports that it broke off. */
  #requestError: unknown;
  /** Why the attempt was aborted. */
  #abortReason: FailureClass | undefined;

  constructor(target: Target, message: Message, connections: Connections, nowMs: () => number) {
    this.#target = target;
    this.#message = message;
    this.#connections = connections;
    this.#nowMs = nowMs;
  }

  /**
   * Runs the attempt. One timer covers all of it, so a response that trickles in gets no more time than a silent one.
   */
  async run(timeoutMs: number, cancellation: AbortSignal | undefined): Promise<Reply> {
    if (cancellation?.aborted) throw new DeliveryError('cancelled');
    const timer = setTimeout(() => this.#abort('timeout'), timeoutMs);
    const cancel = () => this.#abort('cancelled');
    cancellation?.addEventListener('abort', cancel);
    try {
      return await this.#exchange();
    } finally {
      clearTimeout(timer);
      cancellation?.removeEventListener('abort', cancel);
    }
  }

  #abort(reason: FailureClass): void {
    this.#abortReason = reason;
    this.#request?.destroy(new DeliveryError(reason));
    this.#response?.destroy(new DeliveryError(reason));
  }

  async #exchange(): Promise<Reply> {
    try {
      return await this.#read(await this.#respond(false));
    } catch (error) {
      const keptWasClosed = this.#request?.reusedSocket === true && this.#response === undefined;
      if (!keptWasClosed || this.#abortReason !== undefined || classifyFailure(error) !== 'connection_reset')
        throw error;
      this.#requestError = undefined;
      return await this.#read(await this.#respond(true));
    }
  }

  #respond(fresh: boolean): Promise<IncomingMessage> {
    const { body, headers } = this.#message;
    const { protocol, hostname, port, path } = this.#target;
    const { request: send } = protocol === 'https:' ? nodeHttps : nodeHttp;
    return new Promise((resolve, reject) => {
      const request = send({
        method: 'POST',
        protocol,
        hostname,
        port,
        path,
        agent: this.#connections.agentFor(protocol, fresh),
        lookup: this.#connections.lookup,
        maxHeaderSize: headersMaxBytes,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      });
      this.#request = request;
      request.on('error', (error) => {
        this.#requestError = error;
        reject(error);
      });
      request.on('response', (response) => {
        this.#response = response;
        // Errors after the body was read must not be unhandled.
        response.on('error', () => undefined);
        resolve(response);
      });
      // 101 switches the connection to another protocol, which is not supported.
      request.on('upgrade', (response, socket) => {
        this.#response = response;
        socket.destroy();
        resolve(response);
      });
      request.end(body);
    });
  }

  async #read(response: IncomingMessage): Promise<Reply> {
    const status = response.statusCode ?? 0;
    const retryAfterMs = parseRetryAfterMs(response.headers['retry-after'], this.#nowMs());
    const head = { responseStatus: status, responseBody: null, retryAfterMs };
    if (status === 101) return { ...head, error: 'status_101' };
    try {
      const responseBody = await readResponseBody(response);
      return { ...head, responseBody, error: status >= 200 && status < 300 ? null : `status_${status}` };
    } catch (error) {
      // Keeps the status, but an incomplete response is a failure.
      return { ...head, error: this.#abortReason ?? classifyFailure(this.#requestError ?? error) };
    }
  }
}
