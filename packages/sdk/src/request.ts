import { assertDuration, configurationError, type LicensingError } from './error.ts';
import { toSnakeCase, toWire } from './naming.ts';
import { readAnswer, readFailure } from './response.ts';
import { Deadline, withRetries } from './retry.ts';

/** The part of the global `fetch` that the package uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The options that every client has. */
export interface ConnectionOptions {
  /** The URL of the service, without `/api`: `https://licensing.example.com`. */
  readonly baseUrl: string;
  /** Replaces the global `fetch`, for a proxy or a test. */
  readonly fetch?: Fetch | undefined;
  /** The total time of one call with all its attempts, in milliseconds. 10,000 by default; `Infinity`: no limit. */
  readonly timeoutMs?: number | undefined;
  /** The attempts after the first one, 2 by default. Network failures, 429, 502, 503 and 504 are retried. */
  readonly maxRetries?: number | undefined;
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of one call. */
export interface CallOptions {
  /** Aborts this call. The error has the code `NETWORK.ABORTED`, and the signal's reason as its cause. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

/** The options of a call that creates something, or acts in a way that a repetition must not repeat. */
export interface CreateOptions extends CallOptions {
  /** At most 255 characters. With the same key and body the service acts once in 24 hours. By default a random key. */
  readonly idempotencyKey?: string | undefined;
}

/** Bytes that `fetch` can send: `Uint8Array<ArrayBuffer>`, which compilers before TypeScript 5.7 name `Uint8Array`. */
type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** A body that `fetch` can send. */
export type Content = string | Bytes | Blob | ReadableStream<Uint8Array>;

/** One request to the API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path with encoded segments, from `/api` on. */
  readonly path: string;
  /** The query in camelCase. Undefined values are left out. */
  readonly query?: object | undefined;
  /** A body in camelCase, which is sent as JSON. */
  readonly body?: object | undefined;
  /** A body that is sent as it is. A stream cannot be repeated, so the request has one attempt. */
  readonly content?: { readonly type: string; readonly data: Content } | undefined;
  /** Sends the key, so that the service acts once. */
  readonly idempotencyKey?: string | undefined;
  /** True if the service would act twice: then only refusals (429 and 503) are retried. */
  readonly actsAgain?: boolean | undefined;
}

/** Sends requests with the credential of one client. */
export interface Connection {
  /** Returns the JSON of a response in camelCase. Throws a `LicensingError`. */
  json(request: ApiRequest, call?: CallOptions): Promise<unknown>;
  /** Returns the unread body of a response. The deadline ends with the headers. Throws a `LicensingError`. */
  stream(request: ApiRequest, call?: CallOptions): Promise<ReadableStream<Uint8Array>>;
}

/** What authenticates a client, and the header that carries it. */
export interface Credential {
  readonly header: string;
  /** The text before the secret. */
  readonly scheme?: string;
  readonly secret: string;
}

/** Creates a connection. Throws `CONFIGURATION.INVALID` for an option that cannot work. */
export function connect(options: ConnectionOptions, credential: Credential): Connection {
  const { timeoutMs = 10_000, maxRetries = 2 } = options;
  const base = parseBaseUrl(options.baseUrl);
  assertDuration('timeoutMs', timeoutMs);
  if (options.fetch !== undefined && typeof options.fetch !== 'function')
    throw configurationError('fetch must be a function like the global one.');
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw configurationError('maxRetries must be an integer from 0.');

  async function send<Result>(
    request: ApiRequest,
    call: CallOptions,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    assertDuration('timeoutMs', call.timeoutMs ?? timeoutMs);
    const url = base + request.path + queryOf(request.query);
    const init = initOf(request, credential);
    const deadline = new Deadline(call.timeoutMs ?? timeoutMs, [options.signal, call.signal]);
    const attempt = async (): Promise<Result> => {
      const response = await (options.fetch ?? fetch)(url, { ...init, signal: deadline.signal });
      if (!response.ok) throw await readFailure(response, credential.secret);
      return read(response);
    };
    const mayRetry = (failure: LicensingError, attempts: number) =>
      attempts <= maxRetries && isRetried(failure, request, attempts);
    try {
      return await withRetries(deadline, attempt, mayRetry);
    } finally {
      deadline.end();
    }
  }

  return {
    json: (request, call = {}) => send(request, call, readAnswer),
    async stream(request, call = {}) {
      const body = await send(request, call, async (response) => response.body ?? new Blob().stream());
      return call.signal ? body.pipeThrough(new TransformStream(), { signal: call.signal }) : body;
    },
  };
}

/** Returns a URL without a slash at its end. */
function parseBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw configurationError('baseUrl must be the http or https URL of the service.');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw configurationError('baseUrl must have neither credentials nor a query nor a fragment.');
  }
  const base = url.href.replace(/(?<!\/)\/+$/, '');
  if (/\/api\/v\d+$/.test(base)) throw configurationError('baseUrl must end before /api/v1.');
  return base;
}

function queryOf(query: object = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    parameters.append(toSnakeCase(name), value instanceof Date ? value.toISOString() : String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function initOf({ method, body, content, idempotencyKey }: ApiRequest, credential: Credential): RequestInit {
  const { header, scheme = '', secret } = credential;
  const headers: Record<string, string> = { accept: 'application/json', [header]: scheme + secret };
  if (idempotencyKey !== undefined) {
    if (!/^[!-~]{1,255}$/.test(idempotencyKey))
      throw configurationError('idempotencyKey must be 1 to 255 characters of ASCII.');
    headers['idempotency-key'] = idempotencyKey;
  }
  const type = content?.type ?? (body && 'application/json');
  if (type !== undefined) headers['content-type'] = type;
  const data = content?.data ?? (body && toJson(body));
  // `manual`, because a redirect could carry the credential to another host. `duplex` is required for streams.
  return { method, headers, redirect: 'manual', ...(data !== undefined && { body: data, ...{ duplex: 'half' } }) };
}

function toJson(body: object): string {
  try {
    return JSON.stringify(toWire(body));
  } catch (cause) {
    const message =
      'The request cannot be written as JSON: it contains a cycle, a BigInt or an invalid Date. Remove it.';
    throw configurationError(message, cause);
  }
}

function isRetried({ code, status }: LicensingError, { actsAgain, content }: ApiRequest, attempts: number): boolean {
  if (content && typeof content.data === 'object' && content.data instanceof ReadableStream) return false;
  if (status === 429 || status === 503) return true;
  if (actsAgain) return false;
  // An earlier attempt of this call is still running.
  if (code === 'IDEMPOTENCY.IN_PROGRESS') return attempts > 1;
  return code === 'NETWORK.UNREACHABLE' || status === 502 || status === 504;
}

/** Returns a random text of 32 characters. `crypto.randomUUID` is missing on pages that are served over http. */
export function randomKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)));
}

/** Returns bytes in hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
