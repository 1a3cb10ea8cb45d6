import { type Deleted, dataOf, segment } from '../client.ts';
import { type CallOptions, type Connection, type CreateOptions, randomKey } from '../request.ts';

/** The connection of a resource and its place in the API. */
export class Endpoint {
  readonly connection: Connection;
  readonly #path: string;

  /** `name` is the segment of the path: `api-keys`. */
  constructor(connection: Connection, name: string) {
    this.connection = connection;
    this.#path = `/api/v1/tenant/${name}`;
  }

  /** Returns the path of the collection, of one of its items, or of an action. */
  path(...segments: readonly string[]): string {
    return [this.#path, ...segments.map(segment)].join('/');
  }

  /** Performs an action without a body, or with one. The service acts again on each repetition unless told otherwise. */
  async act<Data extends object>(
    segments: readonly string[],
    call?: CallOptions,
    { body, actsAgain = true }: { readonly body?: object; readonly actsAgain?: boolean } = {},
  ): Promise<Data> {
    return dataOf(await this.connection.json({ method: 'POST', path: this.path(...segments), body, actsAgain }, call));
  }

  /** Changes or deletes the collection or one of its items. */
  async send<Data extends object>(
    method: 'PUT' | 'DELETE',
    segments: readonly string[],
    call?: CallOptions,
    body?: object,
  ): Promise<Data> {
    return dataOf(await this.connection.json({ method, path: this.path(...segments), body }, call));
  }

  /** Reads what has no pages. */
  async read<Data extends object>(segments: readonly string[], query?: object, call?: CallOptions): Promise<Data> {
    return dataOf(await this.connection.json({ method: 'GET', path: this.path(...segments), query }, call));
  }

  /** Returns a list, newest first. Iterating reads one page after the other. */
  list<Item>(segments: readonly string[], filters?: object, call?: CallOptions): List<Item> {
    return listOf(this.connection, this.path(...segments), filters, call);
  }

  /** Returns a file, in lines of JSON unless the filters name another format. */
  export(segments: readonly string[], filters: object, call?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    const query = { format: 'ndjson', ...filters };
    return this.connection.stream({ method: 'GET', path: this.path(...segments), query }, call);
  }

  /** Creates something, or performs an action, with an idempotency key: the service does it once. */
  async once<Data extends object>(
    segments: readonly string[],
    { idempotencyKey = randomKey(), ...call }: CreateOptions = {},
    body?: object,
  ): Promise<Data> {
    const request = { method: 'POST', path: this.path(...segments), body, idempotencyKey } as const;
    return dataOf(await this.connection.json(request, call));
  }
}

/** A resource with a list. */
export class ListedResource<Item, Filters extends object> {
  protected readonly endpoint: Endpoint;

  /** @internal */
  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** Returns the items, newest first. Iterating reads one page after the other. */
  list(filters?: Filters, call?: CallOptions): List<Item> {
    return this.endpoint.list([], filters, call);
  }
}

/** A resource with items that can be read one by one. `Summary` is an item in the list. */
export class ReadableResource<
  Item extends object,
  Filters extends object,
  Summary extends object = Item,
> extends ListedResource<Summary, Filters> {
  /** Returns one item. Throws 404 for an unknown id. */
  async get(id: string, call?: CallOptions): Promise<Item> {
    return this.endpoint.read([id], undefined, call);
  }
}

/** A resource with items that can be deleted. */
export class DeletableResource<Item extends object, Filters extends object> extends ReadableResource<Item, Filters> {
  /** Deletes an item. */
  async delete(id: string, call?: CallOptions): Promise<Deleted> {
    return this.endpoint.send('DELETE', [id], call);
  }
}

/** A resource with items that can be created and deleted. */
class CreatableResource<
  Item extends object,
  Filters extends object,
  Creation extends object,
  Created extends object = Item,
> extends DeletableResource<Item, Filters> {
  /** Creates an item. However often the request is sent, the service creates one. */
  create(fields: Creation, call?: CreateOptions): Promise<Created> {
    return this.endpoint.once([], call, fields);
  }
}

/** A resource with items that can be created, changed and deleted. */
export class EditableResource<
  Item extends object,
  Filters extends object,
  Creation extends object,
  Change extends object,
  Created extends object = Item,
> extends CreatableResource<Item, Filters, Creation, Created> {
  /** Changes the given fields. An absent field stays, `null` clears it. */
  async update(id: string, changes: Change, call?: CallOptions): Promise<Item> {
    return this.endpoint.send('PUT', [id], call, changes);
  }
}

/** A resource whose items can be archived. */
export class ArchivableResource<
  Item extends object,
  Filters extends object,
  Creation extends object,
  Change extends object,
> extends EditableResource<Item, Filters, Creation, Change> {
  /** Archives an item: nothing new uses it, and what uses it goes on. */
  archive(id: string, call?: CallOptions): Promise<Item> {
    return this.endpoint.act([id, 'archive'], call, { actsAgain: false });
  }

  /** Ends the archiving of an item. */
  unarchive(id: string, call?: CallOptions): Promise<Item> {
    return this.endpoint.act([id, 'unarchive'], call, { actsAgain: false });
  }
}

/** The form of an exported file. */
export interface FileOptions {
  /** `ndjson` by default. */
  readonly format?: 'ndjson' | 'csv' | undefined;
}

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
function listOf<Item>(connection: Connection, path: string, filters: object = {}, call?: CallOptions): List<Item> {
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
