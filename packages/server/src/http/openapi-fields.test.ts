import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { isUuid } from '../lib/ids.ts';
import { isObject, type JsonObject as Schema } from '../lib/json-object.ts';
import { annotated, Name, strictObject, withDefaults } from './schema.ts';
import { parseTimestamp } from './timestamp.ts';
import { compileCheck, compileValidator } from './validation.ts';

/** A schema in the document with its place. */
interface Place {
  readonly where: string;
  readonly schema: Schema;
}

let components: Readonly<Record<string, Schema>> = {};
let document: Schema = {};
const bodies: (Place & { readonly method: string })[] = [];
const queries: Place[] = [];
const responses: Place[] = [];

const ajv = new Ajv2020({
  strict: false,
  formats: {
    uuid: isUuid,
    'date-time': (text: string) => parseTimestamp(text) !== undefined,
    uri: URL.canParse,
    email: /^[^\s@]+@[^\s@]+$/,
    password: true,
    binary: true,
  },
});

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** The JSON schemas of a body or a response, with the examples that @fastify/swagger puts beside the schema. */
function jsonContent(holder: unknown): Schema[] {
  const { content = {} } = (holder ?? {}) as { readonly content?: Readonly<Record<string, Media>> };
  return Object.entries(content).flatMap(([type, { schema, example, examples = {} }]) => {
    if (!type.includes('json') || schema === undefined) return [];
    const beside = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
    return [beside.length === 0 ? schema : { ...schema, examples: beside }];
  });
}

/** The direct subschemas with their place. References are not followed. */
function subschemas({ where, schema }: Place): Place[] {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const lists = [schema['anyOf'], schema['allOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const others = [schema['items'], schema['additionalProperties'], ...lists].filter(isObject);
  return [
    ...properties
      .filter((entry): entry is [string, Schema] => isObject(entry[1]))
      .map(([name, property]) => ({
        where: `${where}.${name}`,
        schema: property,
      })),
    ...others.map((other) => ({ where, schema: other })),
  ];
}

function componentOf(schema: Schema): Place | undefined {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return undefined;
  const name = reference.split('/').at(-1) ?? '';
  return { where: name, schema: components[name] ?? {} };
}

/** Lists a schema and everything below it; a component only once. */
function below(place: Place, seen: Set<string>): Place[] {
  const component = componentOf(place.schema);
  if (component === undefined) return [place, ...subschemas(place).flatMap((inner) => below(inner, seen))];
  if (seen.has(component.where)) return [place];
  seen.add(component.where);
  return [place, ...below(component, seen)];
}

/** Returns true if a field has a description itself or in a component that it refers to. */
function isDescribed(schema: Schema): boolean {
  if (typeof schema['description'] === 'string') return true;
  const component = componentOf(schema);
  if (component !== undefined) return typeof component.schema['description'] === 'string';
  return Array.isArray(schema['anyOf']) && schema['anyOf'].some((branch) => componentOf(branch) && isDescribed(branch));
}

function undescribed(places: readonly Place[]): string[] {
  const seen = new Set<string>();
  const all = places.flatMap((place) => below(place, seen));
  const fields = all.flatMap((place) => subschemas({ ...place, schema: { properties: place.schema['properties'] } }));
  return fields.filter(({ schema }) => !isDescribed(schema)).map(({ where }) => where);
}

function withRootReferences(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi.json#/components'));
}

/** Lists the examples and defaults that their schema refuses. */
function refused({ where, schema }: Place): string[] {
  const { examples = [], default: value, ...rest } = schema;
  const given = [...(examples as unknown[]), ...(value === undefined ? [] : [value])];
  if (given.length === 0) return [];
  const validate = ajv.compile(withRootReferences(rest));
  return given
    .filter((one) => !validate(one))
    .map((one) => `${where}: ${JSON.stringify(one)} ${ajv.errorsText(validate.errors)}`);
}

/** Returns true if a schema has an example, or each of its required fields, so that tools can show a whole value. */
function hasExample(schema: Schema): boolean {
  if (Array.isArray(schema['examples']) || 'const' in schema) return true;
  const component = componentOf(schema);
  if (component !== undefined) return hasExample(component.schema);
  const { items, properties, required = [] } = schema;
  if (isObject(items)) return hasExample(items);
  return isObject(properties) && (required as string[]).every((name) => hasExample(properties[name] as Schema));
}

/** Lists the operations that have a success in JSON without an example of the whole response. */
function withoutExample(): string[] {
  const operations = Object.values(document['paths'] as Schema).flatMap((item) => Object.values(item as Schema));
  return (operations as Schema[])
    .filter(({ responses: ofOperation }) =>
      Object.entries(ofOperation as Record<string, { content?: Record<string, Media> }>).some(
        ([status, { content }]) => {
          const { 'application/json': media } = content ?? {};
          return (
            status.startsWith('2') &&
            media !== undefined &&
            !jsonContent({ content: { json: media } }).every(hasExample)
          );
        },
      ),
    )
    .map(({ operationId }) => String(operationId));
}

beforeAll(() => {
  document = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'));
  components = (document['components'] as { schemas: typeof components }).schemas;
  ajv.addSchema(withRootReferences({ components: { schemas: components } }), 'openapi.json');
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Record<string, Schema>>)) {
    for (const [method, operation] of Object.entries(item)) {
      const where = `${method} ${path}`;
      const { parameters = [], requestBody } = operation as { parameters?: Schema[]; requestBody?: Schema };
      bodies.push(...jsonContent(requestBody).map((schema) => ({ where, schema, method })));
      for (const parameter of parameters) {
        if (parameter['in'] !== 'query') continue;
        const schema = { description: parameter['description'], ...(parameter['schema'] as Schema) };
        queries.push({ where, schema: { properties: { [String(parameter['name'])]: schema } } });
      }
      for (const [status, response] of Object.entries((operation['responses'] ?? {}) as Schema)) {
        responses.push(...jsonContent(response).map((schema) => ({ where: `${where} ${status}`, schema })));
      }
    }
  }
});

describe('the fields of the OpenAPI document', () => {
  it('every field of a request body or a query string has a description', () => {
    expect(bodies.length).toBeGreaterThan(50);
    expect(queries.length).toBeGreaterThan(100);
    expect(undescribed([...bodies, ...queries])).toEqual([]);
  });

  it('the check for descriptions finds a field without one, at any depth', () => {
    const nested = strictObject({
      list: Type.Array(strictObject({ bare: Type.String() }), { description: 'A list.' }),
    });
    expect(undescribed([{ where: 'body', schema: JSON.parse(JSON.stringify(nested)) }])).toEqual(['body.list.bare']);
  });

  it('every example and every default matches its own schema', () => {
    const seen = new Set<string>();
    const all = [...bodies, ...queries, ...responses].flatMap((place) => below(place, seen));
    expect(all.filter(({ schema }) => Array.isArray(schema['examples'])).length).toBeGreaterThan(100);
    expect(all.flatMap(refused)).toEqual([]);
    expect(refused({ where: 'field', schema: { type: 'integer', default: '5' } })).toHaveLength(1);
  });

  it('every request body with fields has an example', () => {
    const withFields = bodies
      .map(({ where, schema }) => ({ where, schema: { ...componentOf(schema)?.schema, ...schema } }))
      .filter(({ schema }) => isObject(schema['properties']) && Object.keys(schema['properties']).length > 0);
    expect(withFields.length).toBeGreaterThan(50);
    expect(withFields.filter(({ schema }) => !Array.isArray(schema['examples'])).map(({ where }) => where)).toEqual([]);
  });

  it('every named schema has a description', () => {
    expect(Object.keys(components).length).toBeGreaterThan(250);
    const bare = Object.entries(components).filter(([, { description }]) => typeof description !== 'string');
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  it('every success in JSON has an example of the whole response, except these', () => {
    expect(withoutExample().sort()).toEqual([
      'adminGetMetrics',
      'adminGetRateLimit',
      'adminGetRevenueOverview',
      'adminGetTenantDeveloperSnapshot',
      'adminGetTenantLicenseSale',
      'adminGetTenantOverview',
      'adminListBillingDecisions',
      'adminListOrphanSubscriptions',
      'adminListOverdueSubscriptions',
      'adminListPaymentEvents',
      'adminListRateLimits',
      'adminReplayPaymentEvent',
      'adminTryFeatureFlag',
      'changePlan',
      'createPortalSession',
      'downloadAccountExport',
      'evaluateFeatureFlag',
      'evaluateFeatureFlags',
      'getBillingOverview',
      'getDeveloperSnapshot',
      'getLicenseSale',
      'getOverview',
    ]);
  });

  it('the document names its licence, whom to ask, and the address of the service', () => {
    expect(document['info']).toMatchObject({
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this service', url: 'http://127.0.0.1:3000' },
    });
    expect(document['servers']).toEqual([
      { url: 'http://127.0.0.1:3000', description: 'This service, at its `PUBLIC_URL`.' },
    ]);
  });

  it('no change of a resource and no response declares a default', () => {
    const changes = bodies.filter(({ method }) => method === 'put' || method === 'patch');
    const seen = new Set<string>();
    const found = [...changes, ...responses].flatMap((place) => below(place, seen));
    expect(found.filter(({ schema }) => 'default' in schema).map(({ where }) => where)).toEqual([]);
  });
});

describe('annotations', () => {
  const body = strictObject(withDefaults({ note: Type.Optional(Type.String()) }, { note: 'none' }));

  it('a default is documented and never added to a body', () => {
    const validate = compileValidator({ schema: body, method: 'POST', url: '/notes', httpPart: 'body' });
    expect(JSON.parse(JSON.stringify(body)).properties.note).toEqual({ type: 'string', default: 'none' });
    expect(validate({})).toEqual({ value: {} });
  });

  it('a schema with other annotations keeps its refinement', () => {
    const check = compileCheck(annotated(Name, { description: 'The name of a note.' }));
    expect([check.Check('a'), check.Check(' a')]).toEqual([true, false]);
  });
});
