import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { serialisable } from './response-schema.ts';
import { Nullable } from './schema.ts';

test.each([
  ['a nullable text', Nullable(Type.String({ format: 'uuid' })), { type: ['string', 'null'], format: 'uuid' }],
  ['fixed texts', Type.Union([Type.Literal('a'), Type.Literal('b')]), { type: 'string', enum: ['a', 'b'] }],
  [
    'a nullable object, and what is in it',
    Nullable(Type.Object({ at: Nullable(Type.Integer()) })),
    { type: ['object', 'null'], required: ['at'], properties: { at: { type: ['integer', 'null'] } } },
  ],
])('%s is said without anyOf', (_name, schema, expected) => {
  expect(serialisable(schema)).toEqual(expected);
});

test('a union of several types stays as it is', () => {
  const union = Type.Union([Type.String(), Type.Number(), Type.Null()]);
  expect(serialisable(union)).toEqual(JSON.parse(JSON.stringify(union)));
});
