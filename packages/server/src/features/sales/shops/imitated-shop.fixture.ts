import type { SalesPage, ShopApi, ShopApiOptions } from './shop.ts';

/** Answers a request of the imitated API: an object is sent as JSON with status 200. */
type Answer = (url: URL, headers: Headers) => object | Response | undefined;

/** An imitation of a shop's API for tests: `fetch` serves it, and `requests` are the addresses that were read. */
export interface ImitatedShop {
  readonly fetch: typeof fetch;
  readonly requests: URL[];
  readonly options: ShopApiOptions;
}

/** The time of the clock of API clients in tests. */
export const apiNow = '2026-11-26T12:00:00.000000Z';

/**
 * Imitates the API of a shop at `origin`. A path that `answer` does not know is 404; another host fails as an unknown host
 * does, so a request that leaves the shop's host fails the test.
 */
export function imitateShop(origin: string, answer: Answer): ImitatedShop {
  const requests: URL[] = [];
  const imitated: typeof fetch = async (input, init) => {
    const request = new Request(input, { ...init, redirect: 'follow' });
    const url = new URL(request.url);
    if (url.origin !== origin) throw new TypeError(`The test has no host ${url.origin}.`);
    requests.push(url);
    const answered = answer(url, request.headers) ?? Response.json({ error: 'not found' }, { status: 404 });
    return answered instanceof Response ? answered : Response.json(answered);
  };
  const options = { fetch: imitated, signal: new AbortController().signal, now: () => apiNow };
  return { fetch: imitated, requests, options };
}

/** Returns the entries of a list after the one with the id `after`, at most `limit`, and whether there are more. */
export function pageAfter<Item extends { readonly id: string }>(
  items: readonly Item[],
  after: string | null,
  limit: number,
): { readonly page: readonly Item[]; readonly hasMore: boolean } {
  const start = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  const page = items.slice(start, start + limit);
  return { page, hasMore: start + limit < items.length };
}

/** Returns every page of a shop's sales. */
export async function listAll(api: ShopApi): Promise<readonly SalesPage[]> {
  const pages: SalesPage[] = [];
  let cursor: string | null = null;
  do {
    const page: SalesPage = await api.listSales(cursor);
    pages.push(page);
    cursor = page.next;
  } while (cursor !== null);
  return pages;
}
