import { describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { badFields } from '../support/licensing-catalog.ts';
import { fillPath, type JsonSchema, type LiveRoute, liveRoutes, unknownValues } from '../support/routes.ts';

const suite = useTenant({ LOG_LEVEL: 'warn' });

/** One scalar or list in a request schema; for the items of a list there is one leaf. */
interface Leaf {
  /** The dotted path, such as `entitlements.0.code`. */
  readonly field: string;
  readonly schema: JsonSchema;
  /** True if the value may have other types too, for example a string or a number. */
  readonly hasAlternatives: boolean;
  readonly isNullable: boolean;
}

const listIn = (schema: JsonSchema, name: string) => (schema[name] as readonly JsonSchema[] | undefined) ?? [];

/** Lists every scalar and list of a schema; objects themselves are omitted. */
function leavesOf(schema: JsonSchema, field: string, hasAlternatives = false, isNullable = false): Leaf[] {
  const all = listIn(schema, 'anyOf');
  const branches = all.filter(({ type }) => type !== 'null');
  const withNull = branches.length < all.length;
  if (branches.length > 0) return branches.flatMap((branch) => leavesOf(branch, field, branches.length > 1, withNull));
  const below = (name: string) => (field === '' ? name : `${field}.${name}`);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const children = properties.flatMap(([name, property]) => leavesOf(property, below(name)));
  if (schema['type'] === 'object') return children;
  const items = schema['items'] === undefined ? [] : leavesOf(schema['items'] as JsonSchema, below('0'));
  return [{ field, schema, hasAlternatives, isNullable }, ...items];
}

function bodyLeaves({ body }: LiveRoute): Leaf[] {
  return body === undefined ? [] : leavesOf(body, '');
}

/** The events of payment providers: the service verifies their signature and reads only their id, type and time. */
const signedBodies = /^\/webhooks\//;

function requestLeaves(route: LiveRoute): Leaf[] {
  const ownLeaves = signedBodies.test(route.path) ? [] : bodyLeaves(route);
  return [...ownLeaves, ...route.queryParameters.flatMap(({ name, schema }) => leavesOf(schema, name))];
}

/** Returns true if the pattern limits the length, because none of its parts repeats without limit. */
function isBoundedPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false;
  const skeleton = pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
  return skeleton.startsWith('^') && skeleton.endsWith('$') && !/[*+]|\{\d+,\}/.test(skeleton);
}

function isBounded(schema: JsonSchema): boolean {
  if (schema['const'] !== undefined || schema['enum'] !== undefined) return true;
  const has = (...names: readonly string[]) => names.every((name) => typeof schema[name] === 'number');
  switch (schema['type']) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return (
        has('minimum', 'maximum') && Number.isSafeInteger(schema['minimum']) && Number.isSafeInteger(schema['maximum'])
      );
    case 'string':
      return has('maxLength') || schema['format'] === 'uuid' || isBoundedPattern(schema['pattern']);
    case 'array':
      return has('maxItems');
    default:
      return false;
  }
}

test('every number, string and list in a request schema is bounded', () => {
  const routes = liveRoutes(suite.app);
  const unbounded = routes.flatMap((route) =>
    requestLeaves(route)
      .filter(({ schema }) => !isBounded(schema))
      .map(({ field }) => `${route.title}: ${field}`),
  );
  expect(unbounded).toEqual([]);
  expect(routes.flatMap(requestLeaves).length).toBeGreaterThan(100);
});

/** The most items, in all lists within lists together, that one request may work on while it waits for the response. */
const unitsMax = 1_000;

/** Returns for each list of a schema how many of its items a body may have, in all lists around it. */
function listsOf(schema: JsonSchema, field = '', around = 1): { field: string; items: number }[] {
  const below = (name: string) => (field === '' ? name : `${field}.${name}`);
  const items = around * Number(schema['maxItems'] ?? Number.POSITIVE_INFINITY);
  return [
    ...listIn(schema, 'anyOf').flatMap((branch) => listsOf(branch, field, around)),
    ...Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, property]) =>
      listsOf(property, below(name), around),
    ),
    ...(schema['items'] === undefined
      ? []
      : [{ field, items }, ...listsOf(schema['items'] as JsonSchema, below('0'), items)]),
  ];
}

test('lists within lists have together at most 1,000 items', () => {
  const lists = liveRoutes(suite.app).flatMap(({ title, body = {} }) =>
    listsOf(body).map(({ field, items }) => ({ list: `${title}: ${field}`, items })),
  );
  expect(lists.length).toBeGreaterThan(20);
  expect(lists.filter(({ items }) => !(items <= unitsMax))).toEqual([]);
});

/** Each number that says how much is to be done, with what limits the work of one request. */
const amountsOfWork: readonly (readonly [field: RegExp, bound: string])[] = [
  [/license-batches: count$/, 'a job issues the licenses in steps'],
  [/invoices: lines\.0\.quantity$/, 'a factor of the amount of one line'],
  [/usage: events\.0\.quantity$/, 'added to one counter'],
];

test('a number that says how much is to be done is limited to 1,000, or its work is done elsewhere', () => {
  const amounts = liveRoutes(suite.app).flatMap((route) =>
    bodyLeaves(route)
      .filter(({ field }) => /(?:^|[._])(?:count|copies|number_of_\w+|quantity|repeat\w*|seats|times)$/.test(field))
      .filter(({ schema }) => ['integer', 'number'].includes(String(schema['type'])))
      .map(({ field, schema }) => ({ field: `${route.title}: ${field}`, maximum: schema['maximum'] })),
  );
  const large = amounts.filter(({ maximum }) => !(Number(maximum) <= unitsMax));
  expect(large.filter(({ field }) => !amountsOfWork.some(([known]) => known.test(field)))).toEqual([]);
  for (const [known, bound] of amountsOfWork) {
    expect(
      large.some(({ field }) => known.test(field)),
      bound,
    ).toBe(true);
  }
});

const dayBefore1970 = '1969-12-31T23:59:59.999999Z';
const dayAfter9999 = '9999-12-31T23:59:59.999999-00:01';
const badDates = [dayBefore1970, dayAfter9999, '+010000-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-11-31', 'soon'];
/** Texts of which most patterns match few. */
const oddTexts = ['', ' ', ' x', 'a b', 'Ä/!', 'x\u0000y', 'two\nlines', 'nobody@', '@example.com'];

/** Values that a schema must refuse, each for a different reason. */
function badValues({ schema, hasAlternatives }: Leaf): unknown[] {
  const number = (name: string) => schema[name] as number;
  if (schema['const'] !== undefined || schema['enum'] !== undefined) return ['no such value'];
  switch (schema['type']) {
    case 'integer':
      return [number('minimum') - 1, number('maximum') + 1, 2 ** 53, -(2 ** 53), 1e300, 1.5, 'x', true];
    case 'number':
      return [2 ** 53, -(2 ** 53), 1e300];
    case 'string': {
      const { pattern, minLength = 0, maxLength = 1000 } = schema as { [name: string]: string & number };
      const isRefused = (text: string) =>
        text.length < minLength || (pattern !== undefined && !new RegExp(pattern, 'u').test(text));
      const texts = hasAlternatives ? [] : oddTexts.filter(isRefused);
      return [`${'x'.repeat(maxLength)}x`, ...(schema['format'] === 'date-time' ? badDates : texts)];
    }
    case 'array':
      return [...(number('minItems') > 0 ? [[]] : []), Array.from({ length: number('maxItems') + 1 }, () => null)];
    default:
      return [];
  }
}

/** Values of other types. */
function otherTypes({ schema, hasAlternatives }: Leaf): unknown[] {
  if (hasAlternatives || schema['const'] !== undefined || schema['enum'] !== undefined) return [];
  if (schema['type'] === 'integer') return ['7'];
  return [schema['type'] === 'string' ? 7 : 'neither'];
}

/** Builds a body in which one field, at any depth, has a value. */
function bodyWith(field: string, value: unknown): unknown {
  return field.split('.').reduceRight((inner, name) => (name === '0' ? [inner] : { [name]: inner }), value);
}

function credentialOf({ path }: LiveRoute): Readonly<Record<string, string>> {
  if (path.startsWith('/api/v1/integration/')) return { 'x-api-key': suite.tenant.apiKey };
  return path.startsWith('/api/v1/admin/') ? suite.admin.auth : suite.tenant.owner.auth;
}

/** A request, and the fields that its refusal must name. */
interface Refused {
  readonly query?: string;
  readonly payload?: object;
  readonly fields: readonly string[];
}

function refusedBodies(route: LiveRoute): Refused[] {
  const { required = [] } = (route.body ?? {}) as { readonly required?: readonly string[] };
  // In a POST, null stands for the absence of a field.
  const nulls = (leaf: Leaf) => (route.method === 'POST' || leaf.isNullable ? [] : [null]);
  const values = bodyLeaves(route).flatMap((leaf) =>
    [...badValues(leaf), ...otherTypes(leaf), ...nulls(leaf)].map((value) => ({
      payload: bodyWith(leaf.field, value) as object,
      fields: [leaf.field],
    })),
  );
  return required.length === 0 ? values : [...values, { payload: {}, fields: required }];
}

/** A list has one value as well as several. A list below a resource looks for that resource before it reads a cursor. */
function refusedQueries({ path, queryParameters }: LiveRoute): Refused[] {
  const values = queryParameters.flatMap(({ name, schema }) =>
    leavesOf(schema, name).flatMap((leaf) => badValues(leaf).map((value) => ({ name, value }))),
  );
  const texts = values.filter(({ value }) => typeof value !== 'object');
  const cursors = queryParameters.filter(({ name }) => name === 'cursor').map(({ name }) => ({ name, value: 'x' }));
  return [...texts, ...(/\{(?!tenantId\})/.test(path) ? [] : cursors)].map(({ name, value }) => ({
    query: `?${name}=${encodeURIComponent(String(value))}`,
    fields: [name],
  }));
}

/** The parameters of a request with a body are refused after its body. */
const refusedRequests = (route: LiveRoute) => (route.body === undefined ? refusedQueries(route) : refusedBodies(route));

describe('values out of bounds', () => {
  const surfaces = ['/api/v1/tenant/', '/api/v1/integration/', '/api/v1/admin/', '/api/v1/billing'];

  test.each(surfaces)('%s refuses every value out of bounds and missing fields by name', async (surface) => {
    const accepted: string[] = [];
    const routes = liveRoutes(suite.app).filter(({ path }) => path.startsWith(surface));
    expect(routes.length).toBeGreaterThan(2);
    for (const route of routes) {
      const path = fillPath(route.path, { ...unknownValues(), tenantId: suite.tenant.id });
      for (const { query = '', payload, fields } of refusedRequests(route)) {
        const sent = { method: route.method, url: path + query, headers: credentialOf(route) };
        const answer = await suite.app.request({ ...sent, ...(payload && { payload }) });
        const named = badFields(answer);
        const isNamed = fields.every((field) => named.some((one) => one === field || one.startsWith(`${field}.`)));
        if (answer.status === 422 && isNamed) continue;
        const request = `${route.title}${query} ${JSON.stringify(payload)?.slice(0, 200)}`;
        accepted.push(`${request} → ${answer.text.slice(0, 300)}`);
      }
    }
    expect(accepted).toEqual([]);
  });
});
