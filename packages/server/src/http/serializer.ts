import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { isObject, type JsonObject } from '../lib/json-object.ts';

type Serializer = (data: unknown) => string;

/** Serialisers by schema text. Its size is bounded, because only route declarations add entries. */
const serializers = new Map<string, Serializer>();

/**
 * Fastify's serialiser compiler, with one serialiser per distinct schema: several hundred routes share the schemas of
 * errors and resources. A schema is simplified and compiled by the first response that uses it.
 */
export const compileSerializer: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  let serializer: Serializer | undefined;
  return (data) => {
    serializer ??= serializerOf(schema);
    return serializer(data);
  };
};

/** Returns the compiled serialiser of a response's schema. Throws if the schema is invalid. */
export function serializerOf(schema: TSchema): Serializer {
  const simple = serialisable(schema);
  const text = JSON.stringify(simple);
  let serializer = serializers.get(text);
  if (serializer === undefined) {
    serializer = fastJsonStringify(simple as Parameters<typeof fastJsonStringify>[0]);
    serializers.set(text, serializer);
  }
  return serializer;
}

const annotations: ReadonlySet<string> = new Set(['title', 'description', 'examples']);

/** Returns true for a schema without constraints except its type; several of these merge into one with all types. */
function isBare(schema: JsonObject): boolean {
  return Object.keys(schema).every((keyword) => keyword === 'type' || annotations.has(keyword));
}

/**
 * Returns a schema with several types. An `enum` or a `const` restricts each type, so a null that is allowed becomes one
 * of the values.
 */
function withTypes(plain: JsonObject, types: readonly unknown[]): JsonObject {
  const { const: constant, ...rest } = plain;
  const values = constant === undefined ? plain['enum'] : [constant];
  if (!Array.isArray(values) || !types.includes('null')) return { ...plain, type: types };
  return { ...rest, type: types, enum: [...values, null] };
}

/**
 * Merges a union of one plain schema and `null`, of bare types, or of string constants into one schema. Returns
 * undefined for any other union.
 */
function asOneSchema(branches: readonly unknown[]): JsonObject | undefined {
  const schemas = branches.filter(isObject);
  const values = schemas.map((schema) => schema['const']);
  if (values.every((value) => typeof value === 'string')) return { type: 'string', enum: values };
  const types = schemas.map((schema) => schema['type']);
  if (!types.every((type) => typeof type === 'string')) return undefined;
  const [plain, ...others] = schemas.filter((schema) => schema['type'] !== 'null');
  if (plain === undefined || (others.length > 0 && !schemas.every(isBare))) return undefined;
  return withTypes(plain, types);
}

/** Simplified schemas by the schema as declared: several hundred routes share the schemas of errors and resources. */
const simplified = new WeakMap<object, JsonObject>();

/**
 * Returns an equivalent response schema with `anyOf` replaced by `type: [..., 'null']` or `enum` where possible. For an
 * `anyOf` the serialiser runs a full validator per branch, which is four times slower
 * (docs/decisions/0005-hot-path.md). A schema that is part of several others is one object in all results: do not
 * modify them.
 */
export function serialisable<Schema>(schema: Schema): Schema {
  return simplify(schema) as Schema;
}

function simplify(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplify);
  if (!isObject(value)) return value;
  let simple = simplified.get(value);
  if (simple === undefined) {
    simple = simplifyOne(value);
    simplified.set(value, simple);
  }
  return simple;
}

function simplifyOne(schema: JsonObject): JsonObject {
  const simple = Object.fromEntries(Object.entries(schema).map(([name, item]) => [name, simplify(item)]));
  const { anyOf, ...rest } = simple;
  const one = Array.isArray(anyOf) ? asOneSchema(anyOf) : undefined;
  return one === undefined ? simple : { ...one, ...rest };
}
