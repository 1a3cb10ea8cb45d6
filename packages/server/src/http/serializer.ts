import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { serialisable } from './response-schema.ts';

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
