import { dataOf } from '../client.ts';
import type { CallOptions, Connection } from '../request.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly data: Item[];
  /** The `cursor` of the next page; null for the last one. */
  readonly nextCursor: string | null;
}

/** A list, newest first. Nothing is read before the first page is needed. */
export interface List<Item> extends AsyncIterable<Item> {
  /** Reads one page: the first one, or the one of a cursor. */
  page(cursor?: string): Promise<Page<Item>>;
}

/** Returns the list at a path. Iterating reads page after page; each request has the client's deadline. */
export function listOf<Item>(
  connection: Connection,
  path: string,
  filters: object = {},
  call?: CallOptions,
): List<Item> {
  const page = async (cursor?: string): Promise<Page<Item>> => {
    const answer = await connection.json({ method: 'GET', path, query: { ...filters, cursor } }, call);
    const { meta } = answer as { readonly meta?: { readonly nextCursor?: string | null } };
    return { data: dataOf<Item[]>(answer), nextCursor: meta?.nextCursor ?? null };
  };
  return {
    page,
    async *[Symbol.asyncIterator]() {
      let cursor: string | undefined;
      do {
        const { data, nextCursor }: Page<Item> = await page(cursor);
        yield* data;
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
  };
}
