import type { Page } from '../resource.ts';

/** An account of Keygen: its collections, page by page. */
export interface KeygenSource {
  /** Identifies the account among the sources of imports: `keygen:<account id>`. */
  readonly name: string;
  /** True if a collection that the source does not have is one that the token may not read. */
  readonly isLive: boolean;
  /**
   * Returns the page at `position` of a collection, or its first page for null. `path` is relative to the account:
   * `licenses`, `licenses/<id>/entitlements`. Returns null if the source does not have the collection.
   */
  page(path: string, position: string | null): Promise<Page | null>;
  /** Returns the number of resources of a collection; null if the source does not tell. */
  count(path: string): Promise<number | null>;
  /** Releases files and connections. */
  close(): void;
}
