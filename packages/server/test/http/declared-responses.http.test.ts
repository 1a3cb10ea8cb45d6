import { Ajv2020 } from 'ajv/dist/2020.js';
import { type FastifyReply, fastify } from 'fastify';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { Envelope } from '../../src/http/envelope.ts';
import { withErrorResponses } from '../../src/http/routes/tenant-route.ts';
import { Nullable, TimestampOut, Uuid } from '../../src/http/schema.ts';
import { compileSerializer } from '../../src/http/serializer.ts';
import { newId } from '../../src/lib/ids.ts';
import { useApp } from '../support/harness.ts';
import { checkServer } from '../support/response-checks.ts';
import type { JsonSchema } from '../support/routes.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists every schema below a value that allows null, by its path in the document. */
function nullableSchemas(value: unknown, path: string): [path: string, schema: JsonSchema][] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, item]) => nullableSchemas(item, `${path}/${name}`));
  if (!isSchema(value)) return below;
  const branches = Array.isArray(value['anyOf']) ? value['anyOf'] : [value];
  const allowsNull = branches.some((branch) => isSchema(branch) && [branch['type']].flat().includes('null'));
  return allowsNull ? [[path, value], ...below] : below;
}

describe('the OpenAPI document', () => {
  test('every schema that allows null by its type allows it by all its keywords, as the serialiser does', () => {
    const nullable = new Map(
      nullableSchemas(suite.app.http.swagger().paths, '').map(([path, schema]) => [JSON.stringify(schema), path]),
    );
    expect(nullable.size).toBeGreaterThan(50);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const [text, path] of nullable) {
      const schema = JSON.parse(text);
      const isValid = ajv.compile(schema);
      const serialise = compileSerializer({ schema, method: 'GET', url: '/' });
      for (const value of [null, ...(schema.enum ?? [])]) {
        expect(isValid(value), `${path} allows ${value}`).toBe(true);
        expect(serialise(value), path).toBe(JSON.stringify(value));
      }
    }
  });
});

describe('the check of every response', () => {
  const Thing = Type.Object({
    id: Uuid,
    at: TimestampOut,
    interval: Nullable(Type.Union([Type.Literal('month')])),
    count: Type.Integer(),
  });
  const valid = { id: newId(), at: '2026-11-20T12:00:00.000000Z', interval: null, count: 1 };

  /** Returns the violations of one response of a server that sends what `respond` returns. */
  async function violationsOf(respond: (reply: FastifyReply) => unknown): Promise<string[]> {
    const found: string[] = [];
    const app = fastify();
    app.setSerializerCompiler(compileSerializer);
    checkServer(app, ({ text }) => void found.push(text));
    const response = { 200: Envelope(Thing) };
    app.route({
      method: 'GET',
      url: '/thing',
      schema: withErrorResponses({ summary: 'Read', tags: ['Products'], response }),
      handler: (_request, reply) => reply.send(respond(reply)),
    });
    await app.inject('/thing');
    await app.close();
    return found;
  }

  const meta = { request_id: 'a', api_version: '1' };
  const asText = (reply: FastifyReply, value: unknown) => {
    reply.type('application/json; charset=utf-8');
    return JSON.stringify(value);
  };

  test('a response that matches its declaration passes', async () => {
    expect(await violationsOf(() => ({ data: valid, meta }))).toEqual([]);
    expect(await violationsOf((reply) => asText(reply, { data: valid, meta }))).toEqual([]);
  });

  test.each([
    [
      'a property that the serialiser would omit',
      { ...valid, secret: 1 },
      '/data must NOT have additional properties: "secret"',
    ],
    ['a number that the serialiser would convert', { ...valid, count: '1' }, '/data/count must be integer'],
    [
      'a value outside an enum',
      { ...valid, interval: 'week' },
      '/data/interval must be equal to one of the allowed values: ["month",null]',
    ],
    [
      'a timestamp without microseconds',
      { ...valid, at: '2026-11-20T12:00:00Z' },
      '/data/at must match format "date-time"',
    ],
    ['a missing property', { ...valid, id: undefined }, "/data must have required property 'id'"],
  ])('%s is a violation', async (_title, data, difference) => {
    const expected = `GET /thing 200: ${difference}`;
    expect(await violationsOf(() => ({ data, meta }))).toContain(expected);
    expect(await violationsOf((reply) => asText(reply, { data, meta }))).toEqual([expected]);
  });

  test('a failure that the document does not list for the route is a violation, as is an unknown code', async () => {
    const failure = (status: number, code: string) => (reply: FastifyReply) => {
      reply.status(status);
      return { error: { code, message: 'No.' }, meta };
    };
    expect(await violationsOf(failure(422, 'VALIDATION.FAILED'))).toEqual([]);
    expect(await violationsOf(failure(409, 'LICENSE.KEY_TAKEN'))).toContain('GET /thing 409: is not declared');
    expect((await violationsOf(failure(422, 'THING.BROKEN')))[0]).toContain('/error/code must be equal to one of');
  });

  test('a status and a content type that are not declared are violations', async () => {
    const empty = (reply: FastifyReply) => {
      reply.status(204);
      return null;
    };
    const csv = (reply: FastifyReply) => {
      reply.type('text/csv');
      return 'a,b';
    };
    expect(await violationsOf(empty)).toEqual(['GET /thing 204: is not declared']);
    expect(await violationsOf(csv)).toEqual(['GET /thing 200: has the undeclared content type text/csv']);
  });
});
