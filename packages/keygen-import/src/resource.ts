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
  /** `links.next` and `links.self`, exactly as received; null if absent. */
  readonly next: string | null;
  readonly self: string | null;
}

/** An account of Keygen. */
export interface KeygenSource {
  /**
   * Reads the pages of a collection. `path` is relative to the account: `licenses`, `licenses/<id>/entitlements`. Yields
   * nothing for a collection that the source does not have.
   */
  pages(path: string): AsyncIterable<Page>;
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): Fields => (isObject(value) ? value : {});
const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

/** Parses a JSON:API document with a collection or a single resource. Throws a plain `Error` for anything else. */
export function parseDocument(text: string): Page {
  let document: unknown;
  try {
    // The service accepts no NUL in texts.
    document = JSON.parse(text.replaceAll(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1'));
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
  if (!isObject(document) || !('data' in document)) throw new Error('it has no "data"');
  const entries: readonly unknown[] = Array.isArray(document['data']) ? document['data'] : [document['data']];
  const resources = entries.map((entry): Resource => {
    const { type, id, attributes, relationships } = objectOf(entry);
    if (typeof type !== 'string' || typeof id !== 'string' || id === '') {
      throw new Error('it has an entry without a type or an id');
    }
    return { type, id, attributes: objectOf(attributes), relationships: objectOf(relationships) };
  });
  const links = objectOf(document['links']);
  return { resources, next: textOrNull(links['next']), self: textOrNull(links['self']) };
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

/** Returns whether an attribute is true. */
export function flagOf({ attributes }: Resource, name: string): boolean {
  return attributes[name] === true;
}

/** Returns the metadata; an empty object if there are none. */
export function metadataOf({ attributes }: Resource): Fields {
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
