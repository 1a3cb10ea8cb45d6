import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { memoizeText } from '../../../lib/memoize-text.ts';
import type { AddressPolicy } from '../endpoints/address-policy.ts';
import { hostOf } from '../endpoints/webhook-url.ts';
import { type Connections, createConnections } from './connections.ts';
import { classifyFailure, DeliveryError, type FailureClass } from './failure.ts';
import { createResolver, type Resolve } from './resolver.ts';
import { readResponseBody } from './response-body.ts';
import { parseRetryAfterMs } from './retry-schedule.ts';

/** How long one attempt may take, from the resolution of the name to the last byte of the answer that is read. */
const defaultTimeoutMs = 15_000;
const headersMaxBytes = 16 * 1024;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What became of one request. */
export interface SendResult {
  /** Null without an answer. */
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** Null for a 2xx that was read within the time. */
  readonly error: FailureClass | `status_${number}` | null;
  readonly retryAfterMs: number | null;
  readonly durationMs: number;
}

/** Posts messages to endpoints that may answer anything, or nothing. */
export interface WebhookSender {
  readonly timeoutMs: number;
  /**
   * Never throws: whatever happens is a result. Redirects are not followed. With `cut` aborted the request is left at
   * once, and its result is `cancelled`.
   */
  send(message: Message, cut?: AbortSignal): Promise<SendResult>;
  /** Drops every connection. */
  close(): void;
}

interface WebhookSenderOptions {
  readonly addresses: AddressPolicy;
  /** Also for URLs that were stored while it was allowed. */
  readonly allowHttp: boolean;
  readonly userAgent: string;
  readonly nowMs: () => number;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

/** A URL in the words of `node:http`. */
interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  /** Why nothing is sent there; null where a name has to be resolved first, and for what is allowed. */
  readonly refusal: FailureClass | null;
}

function readTarget(text: string, { addresses, allowHttp }: WebhookSenderOptions): Target {
  const url = new URL(text);
  const hostname = hostOf(url);
  const { protocol, port, pathname, search } = url;
  // Names are checked when they are resolved; an address needs no resolution.
  const isRefused = isIP(hostname) !== 0 && !addresses.allows(hostname);
  const refusal = protocol !== 'https:' && !allowHttp ? 'url_invalid' : isRefused ? 'address_not_allowed' : null;
  return { protocol, hostname, port, path: pathname + search, refusal };
}

type Answer = Pick<SendResult, 'responseStatus' | 'responseBody' | 'error' | 'retryAfterMs'>;

const noAnswer = { responseStatus: null, responseBody: null, retryAfterMs: null } as const;

/** Makes the one sender of a process. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { nowMs, timeoutMs = defaultTimeoutMs, resolve = createResolver() } = options;
  const connections = createConnections(options.addresses, resolve);
  // An endpoint gets many messages; what is allowed does not change while the process runs.
  const targetOf = memoizeText((text) => readTarget(text, options));
  return {
    timeoutMs,
    async send(message, cut) {
      const startedMs = performance.now();
      const answer = await attempt(message, cut).catch((error: unknown) => ({
        ...noAnswer,
        error: classifyFailure(error),
      }));
      return { ...answer, durationMs: Math.round(performance.now() - startedMs) };
    },
    close: () => connections.close(),
  };

  async function attempt(message: Message, cut: AbortSignal | undefined): Promise<Answer> {
    const target = targetOf(message.url);
    if (target.refusal !== null) throw new DeliveryError(target.refusal);
    const exchange = new Exchange(target, withAgent(message), connections, nowMs);
    return await exchange.run(timeoutMs, cut);
  }

  function withAgent(message: Message): Message {
    return { ...message, headers: { ...message.headers, 'user-agent': options.userAgent } };
  }
}

/** One attempt: a request, and a second one where a kept connection had been closed by the other side. */
class Exchange {
  readonly #target: Target;
  readonly #message: Message;
  readonly #connections: Connections;
  readonly #nowMs: () => number;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  /** What the request failed of, also after its answer began: the answer itself only knows that it broke off. */
  #broken: unknown;
  /** Why it was left before its end. */
  #left: FailureClass | undefined;

  constructor(target: Target, message: Message, connections: Connections, nowMs: () => number) {
    this.#target = target;
    this.#message = message;
    this.#connections = connections;
    this.#nowMs = nowMs;
  }

  /** One clock over everything: an answer that trickles in gets no more time than a silent one. */
  async run(timeoutMs: number, cut: AbortSignal | undefined): Promise<Answer> {
    if (cut?.aborted) throw new DeliveryError('cancelled');
    const timer = setTimeout(() => this.#leave('timeout'), timeoutMs);
    const cancel = () => this.#leave('cancelled');
    cut?.addEventListener('abort', cancel);
    try {
      return await this.#exchange();
    } finally {
      clearTimeout(timer);
      cut?.removeEventListener('abort', cancel);
    }
  }

  #leave(reason: FailureClass): void {
    this.#left = reason;
    this.#request?.destroy(new DeliveryError(reason));
    this.#response?.destroy(new DeliveryError(reason));
  }

  async #exchange(): Promise<Answer> {
    try {
      return await this.#answerOf(await this.#respond(false));
    } catch (error) {
      const keptWasClosed = this.#request?.reusedSocket === true && this.#response === undefined;
      if (!keptWasClosed || this.#left !== undefined || classifyFailure(error) !== 'connection_reset') throw error;
      this.#broken = undefined;
      return await this.#answerOf(await this.#respond(true));
    }
  }

  #respond(fresh: boolean): Promise<IncomingMessage> {
    const { body, headers } = this.#message;
    const { protocol, hostname, port, path } = this.#target;
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
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
        this.#broken = error;
        reject(error);
      });
      request.on('response', (response) => {
        this.#response = response;
        // What breaks after its reading ended must not go unheard.
        response.on('error', () => undefined);
        resolve(response);
      });
      // 101 hands the connection over to another protocol, which nobody here speaks.
      request.on('upgrade', (response, socket) => {
        this.#response = response;
        socket.destroy();
        resolve(response);
      });
      request.end(body);
    });
  }

  async #answerOf(response: IncomingMessage): Promise<Answer> {
    const status = response.statusCode ?? 0;
    const retryAfterMs = parseRetryAfterMs(response.headers['retry-after'], this.#nowMs());
    const answer = { responseStatus: status, responseBody: null, retryAfterMs };
    if (status === 101) return { ...answer, error: 'status_101' };
    try {
      const responseBody = await readResponseBody(response);
      return { ...answer, responseBody, error: status >= 200 && status < 300 ? null : `status_${status}` };
    } catch (error) {
      // The status stands, but an answer that never ends is none.
      return { ...answer, error: this.#left ?? classifyFailure(this.#broken ?? error) };
    }
  }
}
