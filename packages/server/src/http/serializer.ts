import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';

type Serializer = (data: unknown) => string;

/** Serialisers by schema text. Its size is bounded, because only route declarations add entries. */
const serializers = new Map<string, Serializer>();

/**
 * Fastify's serialiser compiler, with one serialiser per distinct schema. Several hundred routes share the schemas of
 * errors and resources, and compiling each of them took most of the time to build the routes.
 */
export const compileSerializer: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  const text = JSON.stringify(schema);
  let serializer = serializers.get(text);
  if (serializer === undefined) {
    serializer = fastJsonStringify(schema as Parameters<typeof fastJsonStringify>[0]);
    serializers.set(text, serializer);
  }
  return serializer;
};
