import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';

type Serializer = (data: unknown) => string;

/** By the schema's text. It holds what the program's routes declare and nothing else, so it has an end. */
const serializers = new Map<string, Serializer>();

/**
 * Fastify's serializer compiler, one serializer per distinct schema: several hundred routes share the schemas of their
 * errors and of the things that they answer, and compiling each time was most of what building the routes took.
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
