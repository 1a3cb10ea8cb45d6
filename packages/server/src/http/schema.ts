import { type TNull, type TObjectOptions, type TProperties, type TSchema, type TUnion, Type } from 'typebox';
import { searchWords } from '../lib/search-text.ts';

/**
 * The schema of everything a caller sends in a body or a query string: an unknown field is refused, so that no typo
 * is silently lost and no field can be mass-assigned. The validator refuses to start with an object made otherwise.
 */
export function strictObject<const Properties extends TProperties>(properties: Properties, options?: TObjectOptions) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** The schema, or `null`, which clears a field in a `PUT`. */
export function Nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A UUID in lower case. In a path a value that is none answers 404, like an id that does not exist. */
export const Uuid = Type.String({ format: 'uuid' });

/** A moment in a response: UTC with microseconds. */
export const TimestampOut = Type.String({ format: 'date-time', description: 'UTC with microseconds.' });

/** A moment in a request: RFC 3339, years 1970 to 9999. Store it through `toStoredTimestamp`. */
export const TimestampIn = Type.String({ format: 'date-time', maxLength: 40 });

/** What people call a thing: 1 to 100 characters without white space at its ends. */
export const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: 100 }),
  (name) => name.trim() === name,
  () => 'must not start or end with white space',
);

/** An e-mail address as callers send it (RFC 5321 allows 254 characters). */
export const Email = Type.String({ format: 'email', maxLength: 254 });

const metadataMaxBytes = 16 * 1024;
const metadataMaxKeys = 64;
const metadataMaxDepth = 4;

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeperThan(item, depth - 1));
}

const MetadataObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Data of your own: at most 64 keys, 16 KiB as JSON, and 4 levels deep.',
});

/** The caller's own data. Its limits are part of the schema: nothing else needs to check them. */
export const Metadata = [
  {
    check: (metadata: object) => Object.keys(metadata).length <= metadataMaxKeys,
    message: `must have at most ${metadataMaxKeys} keys`,
  },
  {
    check: (metadata: object) => !isDeeperThan(metadata, metadataMaxDepth),
    message: `must be at most ${metadataMaxDepth} levels deep`,
  },
  {
    check: (metadata: object) => Buffer.byteLength(JSON.stringify(metadata)) <= metadataMaxBytes,
    message: 'must be at most 16 KiB as JSON',
  },
].reduce((schema, limit) => Type.Refine(schema, limit.check, () => limit.message), MetadataObject);

const Limit = Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Rows per page.' });
const Cursor = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The `meta.next_cursor` of the page before.',
});

/** The query string of a list: `limit`, `cursor` and the list's own filters (each of them optional). */
export function PageQuery<const Filters extends TProperties>(filters: Filters) {
  return strictObject({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor), ...filters });
}

/** A text that a filter compares. NUL, which a query string can carry as `%00`, is an error to PostgreSQL. */
export function FilterText(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$', description });
}

/** The words of a text search, two characters or more. */
export function SearchText(description: string) {
  return Type.Refine(
    Type.String({ minLength: 2, maxLength: 100, pattern: '^[^\\u0000]*$', description }),
    (text) => searchWords(text).length > 0,
    () => 'must have something to search for besides white space',
  );
}

/** The path parameters of a single thing. Others, such as the admin flow's `tenantId`, may stand beside it. */
export const IdParams = Type.Object({ id: Uuid });
