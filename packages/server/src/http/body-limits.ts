import type { FastifyInstance } from 'fastify';

type JsonSchema = Readonly<Record<string, unknown>>;

const smallestLimitBytes = 16 * 1024;
/** The limit of a body, unless its route sets another one. */
export const largestLimitBytes = 1024 * 1024;
/** A character outside of the basic plane as two JSON escapes: `\ud83d\ude00`. */
const bytesPerCharacter = 12;
/** The longest number, UUID or time stamp. */
const otherValueBytes = 50;
/** Text that only a pattern limits has at most 255 ASCII characters. */
const patternBytes = 258;
/** A pattern of ASCII characters with a maximum, perhaps after a first character with a class of its own. */
const classWithMaximum = /^\^\[(?!\^)[^\]]*\](?:\[(?!\^)[^\]]*\])?\{\d+,(\d+)\}\$$/;
/** Data without a schema has at most 16 KiB in UTF-8, or 32 KiB of ASCII; as JSON escapes, UTF-8 is three times as long. */
const freeFormBytes = 48 * 1024;
/** Quotes, colon and comma. */
const punctuationBytes = 6;

const listOf = (value: unknown) => (Array.isArray(value) ? (value as JsonSchema[]) : []);

function objectBytes(schema: JsonSchema): number {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const known = fields.reduce((sum, [name, field]) => sum + name.length + punctuationBytes + largestBytes(field), 2);
  const { additionalProperties, propertyNames, maxProperties } = schema;
  if (additionalProperties === false) return known;
  if (typeof maxProperties !== 'number' || propertyNames === undefined) return known + freeFormBytes;
  const entry = textBytes(propertyNames as JsonSchema) + textBytes(additionalProperties as JsonSchema);
  return known + maxProperties * (entry + punctuationBytes);
}

/** Returns the length of a name or a value of a map: exactly if its pattern has a maximum. */
function textBytes(schema: JsonSchema): number {
  const maximum = classWithMaximum.exec(String(schema['pattern']))?.[1];
  // The quotes, and the first character.
  return maximum === undefined ? largestBytes(schema) : Number(maximum) + 3;
}

/** Returns the length of the longest JSON text that a schema accepts, without white space. */
export function largestBytes(schema: JsonSchema): number {
  const branches = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])];
  if (branches.length > 0) return Math.max(...branches.map(largestBytes));
  if (schema['type'] === 'object') return objectBytes(schema);
  if (schema['type'] === 'array') {
    return Number(schema['maxItems'] ?? Number.POSITIVE_INFINITY) * (largestBytes(schema['items'] as JsonSchema) + 1);
  }
  const { maxLength, format } = schema;
  const isText = typeof maxLength === 'number' && format !== 'date-time';
  if (isText) return maxLength * bytesPerCharacter + 2;
  return schema['pattern'] === undefined ? otherValueBytes : patternBytes;
}

/**
 * Returns the body limit of a route in bytes: the power of two above the longest body that its schema accepts, from 16
 * KiB to 1 MiB. A valid body is therefore never too large, unless it has hundreds of long texts as JSON escapes.
 */
function bodyLimitOf(schema: JsonSchema | undefined): number {
  const longest = schema === undefined ? 0 : largestBytes(schema);
  const limit = 2 ** Math.ceil(Math.log2(Math.max(longest, smallestLimitBytes)));
  return Math.min(limit, largestLimitBytes);
}

/** Limits the body of every route by its schema. A route with its own `bodyLimit` and streamed uploads are excepted. */
export function limitBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const body = route.schema?.body as JsonSchema | undefined;
    if (route.bodyLimit === undefined && body?.['content'] === undefined) route.bodyLimit = bodyLimitOf(body);
  });
}

/** Returns a number of bytes in words: `16 KiB`. */
export function sizeInWords(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes >= 1024 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`;
}
