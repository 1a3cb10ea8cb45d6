import fc from 'fast-check';
import { fastify } from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { AppError } from '../lib/error.ts';
import { useJsonBodies } from './json-parser.ts';

const app = fastify();
useJsonBodies(app);
let thrown: unknown;
app.setErrorHandler((error, _request, reply) => {
  thrown = error;
  reply.code(400).send();
});
let received: unknown;
app.post('/', (request) => {
  received = request.body;
  return {};
});
afterAll(() => app.close());

async function parse(payload: Buffer | string): Promise<'received' | 'refused'> {
  thrown = undefined;
  const headers = { 'content-type': 'application/json' };
  const response = await app.inject({ method: 'POST', url: '/', headers, payload });
  return response.statusCode === 200 ? 'received' : 'refused';
}

function expectRefusal(): void {
  expect(thrown).toBeInstanceOf(AppError);
  expect((thrown as AppError).status).toBeGreaterThanOrEqual(400);
  expect((thrown as AppError).status).toBeLessThan(500);
}

/** Fragments of JSON, so that random bodies are nearly valid. */
const jsonPiece = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ':',
  ',',
  '\\u0000',
  '\\ud800',
  '__proto__',
  '1',
  'null',
  'a',
);

it('random bytes are either parsed or refused with a 4xx error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      if ((await parse(Buffer.from(bytes))) === 'refused') expectRefusal();
    }),
  );
});

it('random fragments of JSON are either parsed or refused with a 4xx error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(jsonPiece, { maxLength: 40 }), async (pieces) => {
      if ((await parse(pieces.join(''))) === 'refused') expectRefusal();
    }),
    { numRuns: 500 },
  );
});

it('an object with storable text is parsed unchanged', async () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\u0000'));
  const object = fc.dictionary(
    text.filter((key) => key !== '__proto__' && key !== 'constructor'),
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text)),
  );
  await fc.assert(
    fc.asyncProperty(object, async (value) => {
      expect(await parse(JSON.stringify(value))).toBe('received');
      expect(JSON.stringify(received)).toBe(JSON.stringify(value));
    }),
  );
});

it('NUL and lone surrogates are refused at any position', async () => {
  const bad = fc.constantFrom('\u0000', '\ud800', '\udfff', 'a\u0000b', '\ud83d x');
  const place = fc.constantFrom<(text: string) => object>(
    (text) => ({ name: text }),
    (text) => ({ [text]: 1 }),
    (text) => ({ list: [{ deep: [text] }] }),
    (text) => [text],
    (text) => ({ a: { [`key${text}`]: null } }),
  );
  await fc.assert(
    fc.asyncProperty(bad, place, async (text, at) => {
      expect(await parse(JSON.stringify(at(text)))).toBe('refused');
      expect((thrown as AppError).code).toBe('VALIDATION.FAILED');
    }),
  );
});

it.each([
  '9007199254740993',
  '-9007199254740993',
  '1e400',
  '-1E+400',
  '1e-400',
  '0.12345678901234567890',
  '1234567890.123456789',
  '100000000000000000001',
  '1.00000000000000000001e2',
])('the number %s, which JavaScript would change, is refused with its field', async (number) => {
  expect(await parse(`{"name":"a: 1e400","metadata":{"a":[1,{"b": ${number}}]},"other":${number}}`)).toBe('refused');
  expect((thrown as AppError).code).toBe('VALIDATION.FAILED');
  expect((thrown as AppError).details?.map(({ field }) => field)).toEqual(['metadata.a.1.b', 'other']);
});

it.each([
  ['9007199254740992', 9007199254740992],
  ['100000000000000000000', 1e20],
  ['1e21', 1e21],
  ['1.50e1', 15],
  ['0.1000000000000000', 0.1],
  ['0e999', 0],
  ['-0.0', -0],
  ['"9007199254740993"', '9007199254740993'],
  ['"1e400"', '1e400'],
])('the value %s is received unchanged', async (text, value) => {
  expect(await parse(`{"metadata":{"a": ${text},"b":[${text}]}}`)).toBe('received');
  expect(received).toEqual({ metadata: { a: value, b: [value] } });
});
