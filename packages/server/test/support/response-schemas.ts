import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { serialisable } from '../../src/http/serializer.ts';
import { isUuid } from '../../src/lib/ids.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Lists what is wrong with a JSON value, as `/data/interval must be string`; empty if it matches the schema. */
export type Check = (value: unknown) => readonly string[];

/** UTC with microseconds. */
const timestamp = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

const ajv = new Ajv2020({
  // Strict mode refuses keywords and formats that it does not know. Ajv converts no value unless told to.
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  allErrors: true,
  formats: { uuid: isUuid, 'date-time': timestamp, uri: URL.canParse, binary: true },
});

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(map: Schema): Schema {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, closed(value)]));
}

/**
 * Returns a copy in which an object with declared properties forbids others. The serialiser omits an undeclared property
 * without an error, so nothing else finds a field that a handler returns and the document lacks.
 */
function closed(value: unknown): unknown {
  if (!isSchema(value)) return value;
  const { properties, items, anyOf, additionalProperties, ...rest } = value;
  return {
    ...rest,
    ...(isSchema(properties) && { properties: mapValues(properties), additionalProperties: false }),
    ...(additionalProperties !== undefined && { additionalProperties: closed(additionalProperties) }),
    ...(items !== undefined && { items: closed(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(closed) }),
  };
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const subject = params['additionalProperty'] ?? params['allowedValues'];
  return `${instancePath || '/'} ${message}${subject === undefined ? '' : `: ${JSON.stringify(subject)}`}`;
}

/** By schema text, because many routes share a schema, and every app of a worker has its own copies. */
const checks = new Map<string, Check>();
const checksOfSchemas = new WeakMap<object, Check>();

/**
 * Compiles a response schema to a check that also refuses undeclared properties. Schemas are compiled once per process.
 */
export function checkAgainst(schema: object): Check {
  const known = checksOfSchemas.get(schema);
  if (known !== undefined) return known;
  // In the form that the document shows and that the serialiser uses, so that sentences name the allowed values.
  const text = JSON.stringify(serialisable(schema));
  const check = checks.get(text) ?? compile(text);
  checks.set(text, check);
  checksOfSchemas.set(schema, check);
  return check;
}

function compile(text: string): Check {
  const validate = ajv.compile(closed(JSON.parse(text)) as object);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(sentence));
}
