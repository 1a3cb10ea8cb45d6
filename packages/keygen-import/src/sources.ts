import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { type KeygenSource, type Page, parseDocument } from './resource.ts';

/** The account and how to reach it. */
export interface HttpSourceOptions {
  /** The address of the API, such as `https://api.keygen.sh`. */
  readonly url: URL;
  /** The id or the slug of the account. */
  readonly account: string;
  readonly token: string;
  /** Reports for people that a request is repeated. */
  readonly note: (text: string) => void;
}

const timeoutMs = 60_000;
const attemptsMax = 8;
const firstDelayMs = 500;
const delayMaxMs = 60_000;
const repeatedStatuses: ReadonlySet<number | null> = new Set([null, 408, 425, 429, 500, 502, 503, 504]);

interface AnswerOptions {
  readonly status: number | null;
  readonly cause?: unknown;
  readonly retryAfterMs?: number;
}

/** The error of a request that returned no page. */
class AnswerError extends Error {
  /** Null if there was no response. */
  readonly status: number | null;
  /** The delay that the server asks for; NaN if it does not ask. */
  readonly retryAfterMs: number;

  constructor(message: string, options: AnswerOptions) {
    super(message, options);
    this.name = 'Error';
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs ?? Number.NaN;
  }
}

/** Connects to an account of Keygen. */
export function httpSource(options: HttpSourceOptions): KeygenSource {
  const base = new URL(`/v1/accounts/${encodeURIComponent(options.account)}/`, options.url);
  const addressOf = (position: string): URL => {
    const url = new URL(position, options.url);
    // The token must not reach another server.
    if (url.origin === options.url.origin && url.pathname.startsWith('/v1/accounts/')) return url;
    throw new Error(`Keygen's link to the next page leads elsewhere (${url.host}${url.pathname}).`);
  };

  /** Only keyset pages have no limit. An older Keygen refuses them with 400, so its pages are requested by number. */
  async function firstPage(path: string): Promise<Page | null> {
    try {
      return await getPage(options, new URL(`${path}?page[cursor]=&page[size]=100&order=asc`, base));
    } catch (error) {
      const status = error instanceof AnswerError ? error.status : null;
      // Not every edition of Keygen has every collection. What the import needs must be there.
      if (status === 404 && !/^(products|policies|licenses)$/.test(path)) return null;
      if (status !== 400) throw error;
      return await getPage(options, new URL(`${path}?page[number]=1&page[size]=100`, base));
    }
  }

  return {
    async *pages(path) {
      const seen = new Set<string>();
      for (let page = await firstPage(path); page !== null; ) {
        yield page;
        if (page.next === null) return;
        const [first] = page.resources;
        if (first !== undefined && seen.has(first.id)) throw new Error(`Keygen's pages of ${path} repeat.`);
        if (first !== undefined) seen.add(first.id);
        page = await getPage(options, addressOf(page.next));
      }
    },
  };
}

/** Returns one page. Repeats failures that may pass, with growing delays. */
async function getPage(options: HttpSourceOptions, url: URL): Promise<Page> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestPage(options, url);
    } catch (error) {
      if (!(error instanceof AnswerError) || !repeatedStatuses.has(error.status) || attempt === attemptsMax)
        throw error;
      const backOffMs = Math.min(delayMaxMs, firstDelayMs * 2 ** (attempt - 1)) * Math.random();
      const delayMs = Number.isNaN(error.retryAfterMs) ? backOffMs : error.retryAfterMs;
      options.note(`${error.message} Trying again in ${(delayMs / 1000).toFixed(1)} s.`);
      await wait(delayMs);
    }
  }
}

async function requestPage({ token }: HttpSourceOptions, url: URL): Promise<Page> {
  let response: Response;
  let text: string;
  try {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.api+json' };
    response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs), headers });
    text = await response.text();
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const reason = inner instanceof Error ? inner.message : String(inner);
    throw new AnswerError(`${url.host} cannot be reached (${reason}). Check --url and the network.`, {
      status: null,
      cause,
    });
  }
  const { status, headers } = response;
  if (status !== 200) {
    const said = advice[status] ?? `Keygen answered ${status}.`;
    const retryAfter = headers.get('retry-after');
    const delayMs = retryAfter === null ? Number.NaN : Number(retryAfter) * 1000;
    throw new AnswerError(`${said} The request was GET ${url.pathname}.`, { status, retryAfterMs: delayMs });
  }
  try {
    return parseDocument(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AnswerError(`${url.host} did not answer with a page of JSON:API: ${reason}. Check --url.`, {
      status,
      cause,
    });
  }
}

const advice: Readonly<Record<number, string>> = {
  401: 'Keygen refused the token (401). Create an admin token in Keygen and pass it in KEYGEN_TOKEN.',
  403: 'The token may not read this (403). It needs the permissions of an admin of the account.',
  404: 'Keygen does not have this (404). Check --url and --account.',
  429: 'Keygen limits the requests (429).',
};

/**
 * Opens saved pages: a file of NDJSON with one page per line, a `.json` file with a single one, or a folder of such files.
 * A page is the body of a response of Keygen to a list. Pages can be in any order: each collection is read by itself,
 * so memory holds one page.
 */
export function fileSource(path: string): KeygenSource {
  // The entitlements of licenses and policies are small, and every license asks for its own.
  let nested: Promise<ReadonlyMap<string, Page[]>> | undefined;
  return {
    async *pages(wanted) {
      if (wanted.includes('/')) {
        nested ??= nestedPages(path);
        yield* (await nested).get(wanted) ?? [];
        return;
      }
      for await (const page of savedPages(path)) {
        if (nestedPath(page) === undefined && page.resources[0]?.type === wanted) yield page;
      }
    },
  };
}

const nestedPath = ({ self }: Page) => /\/((?:licenses|policies)\/[^/?]+\/entitlements)(?:\?|$)/.exec(self ?? '')?.[1];

async function nestedPages(path: string): Promise<ReadonlyMap<string, Page[]>> {
  const found = new Map<string, Page[]>();
  for await (const page of savedPages(path)) {
    const collection = nestedPath(page);
    if (collection !== undefined) found.set(collection, [...(found.get(collection) ?? []), page]);
  }
  return found;
}

async function* savedPages(path: string): AsyncGenerator<Page> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => /\.(ndjson|jsonl|json)$/.test(name)).sort() : [''];
  if (names.length === 0) throw new Error(`${path} contains no file that ends in .ndjson, .jsonl or .json.`);
  for (const name of names) {
    const file = isFolder ? join(path, name) : path;
    let line = 0;
    for await (const text of textsOf(file)) {
      line += 1;
      if (text.trim() !== '') yield parsePage(text, file, line);
    }
  }
}

function textsOf(file: string): AsyncIterable<string> | Iterable<Promise<string>> {
  if (file.endsWith('.json')) return [readFile(file, 'utf8')];
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

function parsePage(text: string, file: string, line: number): Page {
  try {
    return parseDocument(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Line ${line} of ${basename(file)} is not a page of Keygen's API: ${reason}.`, { cause: error });
  }
}
