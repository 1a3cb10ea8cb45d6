import {
  type TNull,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TUnion,
  Type,
} from 'typebox';
import { searchWords } from '../lib/search-text.ts';

/**
 * Returns an object schema for bodies and query strings. It refuses unknown fields, so that typos are reported and no
 * field can be mass-assigned. The service does not start if a request schema contains an object created otherwise.
 */
export function strictObject<const Properties extends TProperties>(properties: Properties, options?: TObjectOptions) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** Keywords that document a schema and affect neither validation nor serialisation. */
interface Annotations {
  readonly title?: string;
  readonly description?: string;
  /** Only in requests: the serialiser would write it in place of an absent value. */
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** Returns a copy with other annotations. It keeps `Type.Refine` and `Type.Optional`, which a spread loses. */
export function annotated<Schema extends TSchema>(schema: Schema, annotations: Annotations): Schema {
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(schema),
    ...Object.getOwnPropertyDescriptors(annotations),
  });
}

/** Returns a copy with the description of the field that uses it. */
export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return annotated(schema, { description });
}

/** Returns the properties with the values that the service uses for absent fields. Only creations have defaults. */
export function withDefaults<Properties extends TProperties>(
  properties: Properties,
  defaults: { readonly [Name in keyof Properties]?: unknown },
): Properties {
  const values = new Map<string, unknown>(Object.entries(defaults));
  const entries = Object.entries(properties).map(([name, schema]): readonly unknown[] => [
    name,
    values.has(name) ? annotated(schema, { default: values.get(name) }) : schema,
  ]);
  return Object.fromEntries(entries);
}

/** Returns the schema extended by `null`, which clears a field in a `PUT`. */
export function Nullable<Schema extends TSchema>(schema: Schema, options?: TSchemaOptions): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()], options);
}

/** A UUID, in either case in a request. In a path, any other value is a 404, like an id that does not exist. */
export const Uuid = Type.String({ format: 'uuid' });

/** A timestamp in a response: UTC with microseconds. */
export const TimestampOut = Type.String({
  title: 'Timestamp',
  format: 'date-time',
  description: 'UTC with microseconds.',
  examples: ['2026-11-20T17:42:00.123456Z'],
});

/**
 * A time in a request: RFC 3339, or a day, years 1970 to 9999. Validation turns a day into the moment that it means
 * (`momentOfDay`). Convert the time with `toStoredTimestamp` before storing it.
 */
export const TimestampIn = Type.String({
  format: 'date-time',
  maxLength: 40,
  description: 'RFC 3339 with any offset, or a day such as 2027-01-31, years 1970 to 9999.',
  examples: ['2027-01-31T00:00:00Z'],
});

/** A display name: 1 to 100 characters without leading or trailing white space. */
export const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: 100 }),
  (name) => name.trim() === name,
  () => 'Remove the spaces at the start and the end.',
);

/**
 * The name of a tenant or a person, which mails to strangers may contain. It must not be an address of a page; names such
 * as Booking.com are allowed, and mails break their links (`withoutLinks`).
 */
export const PublicName = [
  {
    check: (name: string) => !/:\/\/|\bwww\./i.test(name),
    message: 'Remove the address of a page: leave out :// and www.',
  },
  {
    // Mails show the name as their sender: it must not look like an address.
    check: (name: string) => !/[@<>]/.test(name),
    message: 'Remove the characters @, < and >.',
  },
  {
    // Marks that change the direction of text could make a name show something else.
    check: (name: string) => !/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(name),
    message: 'Remove line breaks and other control characters.',
  },
].reduce((schema, rule) => Type.Refine(schema, rule.check, () => rule.message), Name);

/** An email address as callers send it, with letters of any script. `isEmailAddress` is its format. */
export const Email = Type.String({ format: 'email', maxLength: 254, examples: ['ada@example.com'] });

const metadataMaxBytes = 16 * 1024;
const metadataMaxKeys = 64;
const metadataMaxDepth = 4;

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeperThan(item, depth - 1));
}

const MetadataObject = Type.Unsafe<Record<string, unknown>>({
  title: 'Metadata',
  type: 'object',
  additionalProperties: true,
  description: 'Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep.',
});

/** Custom data in a response. */
export const MetadataOut = MetadataObject;

/** Custom data of the caller. The schema enforces its limits. */
export const Metadata = [
  {
    check: (metadata: object) => Object.keys(metadata).length <= metadataMaxKeys,
    message: `Send at most ${metadataMaxKeys} keys.`,
  },
  {
    check: (metadata: object) => !isDeeperThan(metadata, metadataMaxDepth),
    message: `Send at most ${metadataMaxDepth} levels.`,
  },
  {
    check: (metadata: object) => Buffer.byteLength(JSON.stringify(metadata)) <= metadataMaxBytes,
    message: 'Send at most 16 KiB as JSON.',
  },
].reduce((schema, limit) => Type.Refine(schema, limit.check, () => limit.message), MetadataObject);

const Limit = Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Maximum number of rows per page.' });
const Cursor = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The `meta.next_cursor` of the previous page.',
});

/** Returns the schema of a list's query string: `limit`, `cursor` and the list's own filters, all optional. */
export function PageQuery<const Filters extends TProperties>(filters: Filters) {
  return strictObject({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor), ...filters });
}

/** The body of an action without parameters: absent, or an empty object. */
export const NoFields = strictObject({});

/** The filter of a list that hides archived rows unless they are asked for. */
export const Archived = Type.Optional(
  Type.Union([Type.Literal('false'), Type.Literal('true'), Type.Literal('all')], {
    title: 'Archived',
    default: 'false',
    description: 'Whether the list has archived rows: none (`false`), only those (`true`), or these as well (`all`).',
  }),
);

/** Returns the schema of a text filter. It refuses NUL (`%00`), which causes an error in PostgreSQL. */
export function FilterText(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$', description });
}

/** Returns the schema of a text search, with at least two characters. */
export function SearchText(description: string) {
  return Type.Refine(
    Type.String({ minLength: 2, maxLength: 100, pattern: '^[^\\u0000]*$', description }),
    (text) => searchWords(text).length > 0,
    () => 'Enter at least one word to search for.',
  );
}

/** The path parameters of a single resource. Surfaces may add others, such as `tenantId` of the admin surface. */
export const IdParams = Type.Object({ id: Uuid });

/** The query field `include=details`, which requests fields that cost more to read. */
export function includeDetails(description: string) {
  return { include: Type.Optional(Type.Literal('details', { description })) };
}
