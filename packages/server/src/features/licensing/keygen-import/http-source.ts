import { setTimeout as wait } from 'node:timers/promises';
import { type KeygenSource, type Page, parseDocument } from './resource.ts';

/** The account and how to reach it. */
export interface HttpSourceOptions {
  /** The address of the API, such as `https://api.keygen.sh`. */
  readonly url: URL;
  /** The id or the slug of the account. */
  readonly account: string;
  readonly token: string;
  readonly signal: AbortSignal;
  /** Reports that a request is repeated after some milliseconds, for people. */
  readonly onWait: (reason: string, delayMs: number) => void;
}

const pageSize = 100;
const timeoutMs = 60_000;
const bodyMaxBytes = 64 * 1024 * 1024;
const attemptsMax = 8;
/** A page that is not JSON:API is rarely a passing failure. */
const unreadableAttemptsMax = 3;
const firstDelayMs = 500;
const delayMaxMs = 60_000;
/** A longer `Retry-After` ends the import, which the operator continues later. */
const retryAfterMaxMs = 15 * 60_000;
const repeatedStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** How a request that failed may be repeated. */
interface Repetition {
  readonly attemptsMax: number;
  /** The delay that the server asks for; absent if it does not ask. */
  readonly retryAfterMs?: number;
}

/** The error of a request that returned no page. */
class AnswerError extends Error {
  /** Null if there was no response. */
  readonly status: number | null;
  /** Null if a repeated request would fail too. */
  readonly repetition: Repetition | null;

  constructor(status: number | null, message: string, repetition: Repetition | null = null) {
    super(message);
    this.name = 'Error';
    this.status = status;
    this.repetition = repetition;
  }
}

/**
 * Connects to an account. Throws an `Error` with instructions if the address, the account or the token is wrong.
 */
export async function openHttpSource(options: HttpSourceOptions): Promise<KeygenSource> {
  const base = new URL(`/v1/accounts/${encodeURIComponent(options.account)}/`, options.url);
  const [account] = (await getPage(options, new URL(base.href.replace(/\/$/, '')))).resources;
  if (account === undefined || account.type !== 'accounts')
    throw new Error(`${options.url.host} did not answer with an account. Check --url and --account.`);
  const collections = new Map<string, string>();

  /** Only keyset pages have no limit. An older Keygen refuses them with 400, so its pages are requested by number. */
  async function firstPage(path: string): Promise<Page | null> {
    const byCursor = new URL(`${path}?page[cursor]=&page[size]=${pageSize}&order=asc`, base);
    try {
      return await getPage(options, byCursor);
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      if (isMissing(error)) return null;
      if (error.status !== 400) throw error;
      return await getPage(options, new URL(`${path}?page[number]=1&page[size]=${pageSize}`, base));
    }
  }

  function addressOf(position: string): URL {
    const url = new URL(position, options.url);
    // The token must not reach another server.
    if (url.origin === options.url.origin && url.pathname.startsWith('/v1/accounts/')) return url;
    throw new Error(
      `Keygen's link to the next page leads elsewhere (${url.host}${url.pathname}), so the import stopped.`,
    );
  }

  return {
    name: `keygen:${account.id}`,
    isLive: true,
    async page(path, position) {
      const page = position === null ? await firstPage(path) : await getPage(options, addressOf(position));
      if (page === null || page.next === null) return page;
      if (page.next === position || collections.get(path) === page.next)
        throw new Error(`Keygen's pages of ${path} form a loop, so the import stopped. Run it again to continue.`);
      collections.set(path, page.next);
      return page;
    },
    async count(path) {
      try {
        return (await getPage(options, new URL(`${path}?page[number]=1&page[size]=1`, base))).total;
      } catch (error) {
        if (error instanceof AnswerError && error.status !== null) return null;
        throw error;
      }
    },
    close: () => undefined,
  };
}

/** Returns true if this edition of Keygen does not have the collection, or the token may not read it. */
function isMissing({ status }: AnswerError): boolean {
  return status === 403 || status === 404;
}

/** Returns one page. Repeats failures that may pass, with growing delays. */
async function getPage(options: HttpSourceOptions, url: URL): Promise<Page> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestPage(options, url);
    } catch (error) {
      const repetition = error instanceof AnswerError ? error.repetition : null;
      if (!(error instanceof AnswerError) || repetition === null || attempt === repetition.attemptsMax) throw error;
      const backOffMs = Math.min(delayMaxMs, firstDelayMs * 2 ** (attempt - 1)) * Math.random();
      const delayMs = repetition.retryAfterMs ?? backOffMs;
      if (delayMs > retryAfterMaxMs) throw error;
      options.onWait(error.message, delayMs);
      await wait(delayMs, undefined, { signal: options.signal });
    }
  }
}

async function requestPage({ token, signal }: HttpSourceOptions, url: URL): Promise<Page> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.api+json' },
    });
    text = await readText(response);
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof AnswerError ? cause : unreachable(url, cause);
  }
  const { status, headers } = response;
  if (status !== 200) throw explain(url, status, text, repeatedStatuses.has(status) ? retryAfter(headers) : null);
  let page: Page;
  try {
    page = parseDocument(text);
  } catch (cause) {
    throw unreadable(url, status, cause);
  }
  const pauseMs = pauseOf(headers);
  if (pauseMs > 0) await wait(pauseMs, undefined, { signal });
  return page;
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) throw new AnswerError(response.status, 'A page of Keygen is larger than 64 MiB.');
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

/** Returns how to repeat a request that failed with a temporary status. */
function retryAfter(headers: Headers): Repetition {
  const value = headers.get('retry-after');
  if (value === null) return { attemptsMax };
  const seconds = Number(value);
  const delayMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return { attemptsMax, ...(Number.isFinite(delayMs) && { retryAfterMs: Math.max(0, delayMs) }) };
}

/** Returns how long to pause because the last request of a rate limit's window was used. */
function pauseOf(headers: Headers): number {
  if (headers.get('x-ratelimit-remaining') !== '0') return 0;
  const resetMs = Number(headers.get('x-ratelimit-reset')) * 1000 - Date.now();
  return Number.isFinite(resetMs) ? Math.min(delayMaxMs, Math.max(0, resetMs)) : 0;
}

function unreachable(url: URL, cause: unknown): AnswerError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = inner instanceof Error ? inner.message : String(inner);
  const message = `${url.host} cannot be reached (${reason}). Check --url and the network, then run the command again.`;
  return new AnswerError(null, message, { attemptsMax });
}

/** Returns the error of a successful response without a page of results: a proxy may send its own document. */
function unreadable(url: URL, status: number, cause: unknown): AnswerError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${url.host} did not answer with a page of JSON:API: ${reason}. Check --url.`;
  return new AnswerError(status, message, { attemptsMax: unreadableAttemptsMax });
}

const advice: Readonly<Record<number, string>> = {
  401: 'Keygen refused the token (401). Create an admin token in Keygen and pass it with KEYGEN_TOKEN.',
  403: 'The token may not read this (403). It needs the permissions of an admin of the account.',
  404: 'Keygen does not have this (404). Check --url and --account.',
  429: 'Keygen limits the requests (429). Run the command again later to continue.',
};

function explain(url: URL, status: number, text: string, repetition: Repetition | null): AnswerError {
  const said = advice[status] ?? `Keygen answered ${status}. Run the command again to continue.`;
  return new AnswerError(status, `${said} The request was GET ${url.pathname}${detailOf(text)}`, repetition);
}

/** Returns the first error of a JSON:API document as a sentence; a full stop for any other text. */
function detailOf(text: string): string {
  const detail = /"detail"\s*:\s*"([^"\\]{1,200})"/.exec(text)?.[1];
  return detail === undefined ? '.' : `: ${detail}`;
}
