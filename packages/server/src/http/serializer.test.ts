import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { Nullable } from './schema.ts';
import { serialisable } from './serializer.ts';

test.each([
  ['a nullable text', Nullable(Type.String({ format: 'uuid' })), { type: ['string', 'null'], format: 'uuid' }],
  ['fixed texts', Type.Union([Type.Literal('a'), Type.Literal('b')]), { type: 'string', enum: ['a', 'b'] }],
  [
    'a nullable fixed text',
    Nullable(Type.Union([Type.Literal('month'), Type.Literal('year')])),
    { type: ['string', 'null'], enum: ['month', 'year', null] },
  ],
  ['one nullable fixed text', Nullable(Type.Literal('a')), { type: ['string', 'null'], enum: ['a', null] }],
  [
    'a value of any plain type',
    Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
    { type: ['string', 'number', 'boolean', 'null'] },
  ],
  [
    'a nullable object with nullable fields',
    Nullable(Type.Object({ at: Nullable(Type.Integer()) })),
    { type: ['object', 'null'], required: ['at'], properties: { at: { type: ['integer', 'null'] } } },
  ],
  [
    'a described nullable value with an example',
    Nullable(Type.String({ title: 'Timestamp', description: 'UTC.', examples: ['2026'] }), { description: 'Its end.' }),
    { type: ['string', 'null'], title: 'Timestamp', description: 'Its end.', examples: ['2026'] },
  ],
  [
    'a named union of bare types',
    Type.Union([Type.String({ title: 'Text' }), Type.Number()], { title: 'Value', description: 'Any value.' }),
    { type: ['string', 'number'], title: 'Value', description: 'Any value.' },
  ],
])('%s is expressed without anyOf', (_name, schema, expected) => {
  expect(serialisable(schema)).toEqual(expected);
});

test.each([
  ['of several types of which one has a format', Type.Union([Type.String({ format: 'uuid' }), Type.Number()])],
  ['of two objects', Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })])],
])('a union %s is unchanged', (_name, union) => {
  expect(serialisable(union)).toEqual(JSON.parse(JSON.stringify(union)));
});
