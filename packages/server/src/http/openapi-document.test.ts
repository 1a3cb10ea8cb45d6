import { expect, it } from 'vitest';
import { createNamedSchemas, type JsonSchema, publishedDocument } from './openapi-document.ts';

/** Returns the references that replace schemas, and the components. */
function named(...schemas: readonly JsonSchema[]) {
  const names = createNamedSchemas();
  for (const schema of schemas) names.count(schema);
  return { references: schemas.map((schema) => names.toReference(schema)), components: names.components() };
}

/** Returns an operation whose response is a schema with the title `Box`. */
function getBox(size: string) {
  const schema = { type: 'object', title: 'Box', properties: { id: { type: 'string' }, size: { type: size } } };
  return { get: { responses: { 200: { description: 'A box.', content: { 'application/json': { schema } } } } } };
}

it('a document in which two different schemas have one title is not generated, and the error names the difference', () => {
  const generate = (...sizes: readonly string[]) => {
    const paths = Object.fromEntries(sizes.map((size, index) => [`/boxes-${index}`, getBox(size)]));
    return publishedDocument({ paths }, { enumMeanings: {}, event: {} });
  };
  expect(generate('integer', 'integer')).toHaveProperty('components.schemas.Box.type', 'object');
  expect(() => generate('integer', 'string')).toThrow(
    'Two different schemas have the title Box; they differ at /properties/size/type. Give one another title, or ' +
      'declare the schema once and use it in both places.',
  );
});

it('a schema that differs only in annotations and null is one component, and each place keeps its own', () => {
  const size = { type: 'integer', title: 'Size', description: 'In bytes.' };
  const { references, components } = named(size, size, {
    ...size,
    type: ['integer', 'null'],
    description: 'Its size.',
  });
  const reference = { $ref: '#/components/schemas/Size' };
  expect(components).toEqual({ Size: { type: 'integer', description: 'In bytes.' } });
  expect(references).toEqual([
    reference,
    reference,
    { anyOf: [reference, { type: 'null' }], description: 'Its size.' },
  ]);
});

it('a default stays at its place, even if most places of the schema have it', () => {
  const size = { type: 'integer', title: 'Size' };
  const { references, components } = named({ ...size, default: 7 }, { ...size, default: 7 }, size);
  const reference = { $ref: '#/components/schemas/Size' };
  expect(components).toEqual({ Size: { type: 'integer' } });
  expect(references).toEqual([{ ...reference, default: 7 }, { ...reference, default: 7 }, reference]);
});

it('a title that cannot be the name of a type is refused', () => {
  const schema = { type: 'string', title: 'Kind of box' };
  expect(() => named(schema)).toThrow('The title "Kind of box" of a schema must be the name of a type');
});
