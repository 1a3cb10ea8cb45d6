import { parseTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { isObject } from '../../../lib/json-object.ts';

/** A resource of Keygen's JSON:API. Every value is unchecked. */
export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: Readonly<Record<string, unknown>>;
}

/** One page of a collection. */
export interface Page {
  readonly resources: readonly Resource[];
  /** The number of invalid entries: their `id` or `type` is missing or is no text. */
  readonly malformed: number;
  /** `links.next`, exactly as received; null on the last page. */
  readonly next: string | null;
  /** `links.self`; null if absent. */
  readonly self: string | null;
  /** `links.meta.count`: the number of resources in the whole collection; null if unknown. */
  readonly total: number | null;
}

/** An account of Keygen: its collections, page by page. */
export interface KeygenSource {
  /** Identifies the account among the sources of imports: `keygen:<account id>`. */
  readonly name: string;
  /** True for the API, which does not show collections that the token may not read. */
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

const objectOf = (value: unknown) => (isObject(value) ? value : {});
const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

/** Removes NUL characters, because databases do not accept them in texts. */
function withoutNul(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\u0000', '');
  if (Array.isArray(value)) return value.map(withoutNul);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replaceAll('\u0000', ''), withoutNul(item)]),
  );
}

/** Parses a JSON:API document with a collection or a single resource. Throws a plain `Error` for anything else. */
export function parseDocument(text: string): Page {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
  const document = text.includes('\\u0000') ? withoutNul(parsed) : parsed;
  if (!isObject(document) || !('data' in document)) throw new Error('it has no "data"');
  const entries = Array.isArray(document['data']) ? document['data'] : [document['data']];
  const resources = entries.flatMap((entry): Resource[] => {
    if (!isObject(entry)) return [];
    const { type, id, attributes, relationships } = entry;
    if (typeof type !== 'string' || typeof id !== 'string' || id === '' || id.length > 100) return [];
    return [{ type, id, attributes: objectOf(attributes), relationships: objectOf(relationships) }];
  });
  const links = objectOf(document['links']);
  const total = objectOf(links['meta'])['count'];
  return {
    resources,
    malformed: entries.length - resources.length,
    next: textOrNull(links['next']),
    self: textOrNull(links['self']),
    total: typeof total === 'number' ? total : null,
  };
}

/** Returns the text of an attribute; null if it is absent, empty or no text. */
export function textOf({ attributes }: Resource, name: string): string | null {
  const value = attributes[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns the value of an attribute if it is a whole number from 0; null for any other value. */
export function numberOf({ attributes }: Resource, name: string): number | null {
  const value = attributes[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Returns true if an attribute is true. */
export function flagOf({ attributes }: Resource, name: string): boolean {
  return attributes[name] === true;
}

/** Returns the time of an attribute; null if it is absent, undefined if it is no RFC 3339 time. */
export function timeOf({ attributes }: Resource, name: string): Timestamp | null | undefined {
  const value = attributes[name];
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? parseTimestamp(value) : undefined;
}

/** Returns the metadata; an empty object if there are none. */
export function metadataOf({ attributes }: Resource): Readonly<Record<string, unknown>> {
  return objectOf(attributes['metadata']);
}

/** Returns the id of the resource that a relationship refers to; null if there is none. */
export function relatedId({ relationships }: Resource, name: string): string | null {
  return textOrNull(objectOf(objectOf(relationships[name])['data'])['id']);
}

/** Returns `meta.count` of a relationship; 0 if it is absent. */
export function relatedCount({ relationships }: Resource, name: string): number {
  const count = objectOf(objectOf(relationships[name])['meta'])['count'];
  return typeof count === 'number' ? count : 0;
}
