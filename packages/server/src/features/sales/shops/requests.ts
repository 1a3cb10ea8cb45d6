import { isObject, type JsonObject } from '../../../lib/json-object.ts';
import { ShopApiError, type ShopApiOptions } from './shop.ts';

/** The host of a shop's API, with the headers of every request. */
interface ShopHost {
  /** The shop's name, for messages. */
  readonly name: string;
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Query = Readonly<Record<string, string | number | readonly string[] | null>>;

/** Reads JSON objects from a shop. Undefined if the shop answers that it has no such object. Throws `ShopApiError`. */
export type ReadShop = (path: string, query?: Query) => Promise<JsonObject | undefined>;

const timeoutMs = 30_000;

/** Returns the path of a URL. Ids are encoded, so that one with path characters reaches no other resource. */
export function pathOf(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: parts }, ...ids.map(encodeURIComponent));
}

function urlOf({ origin }: ShopHost, path: string, query: Query): URL {
  const url = new URL(path, origin);
  for (const [name, value] of Object.entries(query)) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== null) url.searchParams.append(name, String(one));
  }
  return url;
}

/** Returns after how many milliseconds a shop accepts the next request: seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(response: Response, nowMs: number): number | null {
  const value = response.headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(Math.ceil(ms), 0), 86_400_000) : null;
}

function failureOf({ name }: ShopHost, response: Response, nowMs: number): ShopApiError {
  const { status } = response;
  const retryAfterMs = retryAfterOf(response, nowMs);
  if (status === 429) return new ShopApiError(`${name} accepts no more requests for now.`, 'busy', retryAfterMs);
  if (status === 401 || status === 403) {
    return new ShopApiError(
      `${name} refused the API key. Check that it is valid and may read what the guide lists.`,
      'refused',
    );
  }
  if (status >= 400 && status < 500 && status !== 408 && status !== 409) {
    return new ShopApiError(`${name} refused the request with status ${status}.`, 'refused');
  }
  return new ShopApiError(`${name} answered with status ${status}.`, 'unavailable', retryAfterMs);
}

async function bodyOf({ name }: ShopHost, response: Response): Promise<JsonObject> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isObject(body)) return body;
  throw new ShopApiError(`${name} sent an answer that is not JSON.`, 'unavailable');
}

/**
 * Creates a reader of a shop's API. Requests go to the shop's own host only, and redirections are not followed, so that the
 * key reaches nobody else.
 */
export function shopReader(host: ShopHost, { fetch, signal, now }: ShopApiOptions): ReadShop {
  return async (path, query = {}) => {
    const url = urlOf(host, path, query);
    const isOwnHost = url.origin === host.origin;
    if (!isOwnHost) throw new ShopApiError(`The address of ${host.name} is not its own.`, 'refused');
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': 'licensing', ...host.headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch(() => undefined);
    // A timeout of the caller is the shop's, and any other end is the caller's own.
    const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
    if (!isTimeout) signal.throwIfAborted();
    if (response === undefined) throw new ShopApiError(`${host.name} cannot be reached.`, 'unavailable');
    if (response.ok) return await bodyOf(host, response);
    await response.body?.cancel();
    if (response.status === 404) return undefined;
    throw failureOf(host, response, Date.parse(now()));
  };
}

/** Returns the answer to a request for a list, which every shop has. Throws `ShopApiError` if it is missing. */
export async function readList(read: ReadShop, path: string, query?: Query): Promise<JsonObject> {
  const list = await read(path, query);
  if (list === undefined) throw new ShopApiError('The shop no longer has the list that the service reads.', 'refused');
  return list;
}

/** Where a page begins of a shop's lists that are read one after the other. */
interface Position<Phase extends string> {
  readonly phase: Phase;
  /** Null: the first page of the phase. */
  readonly after: string | null;
}

/** Returns the position of a cursor: the first phase without one. An unknown phase begins again. */
export function positionOf<Phase extends string>(
  phases: readonly [Phase, ...Phase[]],
  cursor: string | null,
): Position<Phase> {
  const at = cursor?.indexOf(':') ?? -1;
  const phase = phases.find((one) => one === cursor?.slice(0, at)) ?? phases[0];
  const after = cursor?.slice(at + 1) ?? '';
  return { phase, after: after === '' ? null : after };
}

/** Returns the cursor after a page: the next page of its phase, or else the next phase, or else null. */
export function cursorAfter<Phase extends string>(
  phases: readonly Phase[],
  phase: Phase,
  next: string | null,
): string | null {
  if (next !== null) return `${phase}:${next}`;
  const following = phases[phases.indexOf(phase) + 1];
  return following === undefined ? null : `${following}:`;
}
