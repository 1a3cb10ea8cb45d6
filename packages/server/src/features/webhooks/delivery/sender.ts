import { isIP } from 'node:net';
import { type AddressPolicy, hostOf } from '../endpoints/address-policy.ts';
import type { Connections, Resolve } from './connections.ts';
import { Exchange, type Reply } from './exchange.ts';
import { classifyFailure, DeliveryError, type FailureClass } from './outcome.ts';
import { messageMediaType } from './signature.ts';

/** Timeout of one attempt, from name resolution to the last byte of the response that is read. */
const defaultTimeoutMs = 15_000;

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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

/** The parts of a URL that requests need. */
interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  /** Why nothing is sent to the URL; null if it is allowed, or if its name must be resolved first. */
  readonly refusal: FailureClass | null;
}

function readTarget(text: string, { addresses, allowHttp }: WebhookSenderOptions): Target {
  const url = new URL(text);
  const hostname = hostOf(url);
  // Only literal addresses are checked here; names are checked when they are resolved.
  const isRefused = isIP(hostname) !== 0 && !addresses.allows(hostname);
  const refusal = url.protocol !== 'https:' && !allowHttp ? 'url_invalid' : isRefused ? 'address_not_allowed' : null;
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  const origin = `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`;
  return { origin, path: url.pathname + url.search, refusal };
}

const noReply = { responseStatus: null, responseBody: null, retryAfterMs: null } as const;

/** Creates the sender of a process. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { addresses, userAgent, nowMs, timeoutMs = defaultTimeoutMs } = options;
  let connections: Promise<Connections> | undefined;
  return {
    timeoutMs,
    async send(message, cancellation) {
      const opened = await openConnections();
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

  async function attempt(
    opened: Connections,
    { url, headers, body }: Message,
    cancellation: AbortSignal | undefined,
  ): Promise<Reply> {
    const { origin, path, refusal } = readTarget(url, options);
    if (refusal !== null) throw new DeliveryError(refusal);
    if (cancellation?.aborted) throw new DeliveryError('cancelled');
    const all = { 'user-agent': userAgent, 'content-type': messageMediaType, ...headers };
    const request = { origin, path, method: 'POST', headers: all, body } as const;
    return await new Promise((onReply) => {
      new Exchange(opened, { request, timeoutMs, nowMs, cancellation, onReply });
    });
  }

  /** The first message loads undici: most processes start long before they send one, or send none. */
  function openConnections(): Promise<Connections> {
    connections ??= import('./connections.ts').then(({ Connections, createResolver }) => {
      const { resolve = createResolver() } = options;
      return new Connections({ addresses, resolve, connectTimeoutMs: timeoutMs });
    });
    return connections;
  }
}
