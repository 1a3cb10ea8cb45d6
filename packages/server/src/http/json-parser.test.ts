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
