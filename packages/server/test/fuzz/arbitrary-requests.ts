import fc from 'fast-check';
import { newId } from '../../src/lib/ids.ts';
import { fillPath, type LiveRoute, type Parameter } from '../support/routes.ts';
import { bodyText, oddText, type RequestContext, validValue } from './arbitrary-bodies.ts';
import type { Credential } from './credentials.ts';
import { type FuzzedRequest, wireMutation } from './wire.ts';

/** The credentials of requests: mostly the one that the route is meant for. */
export interface Credentials {
  readonly primary: Credential;
  readonly others: readonly Credential[];
}

function pathValue({ name }: Parameter, context: RequestContext): fc.Arbitrary<string> {
  const existing = context.existing[name] ?? [];
  const odd = fc.oneof(
    fc.uuid({ version: 7 }),
    fc.uuid({ version: 7 }).map((id) => id.toUpperCase()),
    fc.constantFrom(
      'x'.repeat(512),
      'x'.repeat(513),
      'x'.repeat(4_000),
      '.',
      '..',
      '{id}',
      ':id',
      'ünïcödé 💥',
      'null',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc
      .constantFrom('%00', '%zz', '%ff', '%ed%a0%80', '..%2f..%2f', 'a%0d%0aX-Evil:%201', '%252e')
      .map((text) => `raw:${text}`),
  );
  if (existing.length === 0) return odd;
  const spoiled = fc.tuple(
    fc.constantFrom(...existing),
    fc.constantFrom('%00', '%20', '%0a', '/', '?', '%c3%28', '%25'),
  );
  const almost = spoiled.map(([value, suffix]) => `raw:${value}${suffix}`);
  // Mostly an existing tenant: a request with an unknown one is refused before anything else is checked.
  const weight = name === 'tenantId' ? 12 : 5;
  return fc.oneof({ weight, arbitrary: fc.constantFrom(...existing) }, { weight: 2, arbitrary: fc.oneof(odd, almost) });
}

const oddCursor = fc.constantFrom('', 'x', 'null', '%00', btoa('2026-01-01T00:00:00.000000Z x'), 'A'.repeat(300));

function queryValue({ name, schema }: Parameter, context: RequestContext): fc.Arbitrary<string> {
  const valid = validValue(schema, name, context).map((value) => encodeURIComponent(String(value).toWellFormed()));
  const odd = oddText.map((text) => encodeURIComponent(text.slice(0, 500).toWellFormed()));
  const raw = fc.constantFrom(
    '',
    '%00',
    '%zz',
    '%ff',
    '0',
    '-1',
    '101',
    '1.5',
    '1e9',
    '99999999999999999999',
    'true',
    '[]',
  );
  const spoiled = fc.tuple(valid, fc.constantFrom('%00', '%0a', '%20', '%f0%9f%92%a5', '%ed%a0%80'));
  const almost = spoiled.map(([value, suffix]) => value + suffix);
  const cursors = context.existing['cursor'] ?? [];
  if (name === 'cursor')
    return fc.oneof(oddCursor, odd, ...(cursors.length === 0 ? [] : [fc.constantFrom(...cursors)]));
  return fc.oneof(valid, valid, odd, raw, almost);
}

function queryString(route: LiveRoute, context: RequestContext): fc.Arbitrary<string> {
  const pair = (parameter: Parameter) => queryValue(parameter, context).map((value) => `${parameter.name}=${value}`);
  const known = route.queryParameters.map(pair);
  const unknown = fc.constantFrom('limit=1&limit=2', '__proto__=1', 'nmae=x', 'a[b]=c', '%00=1', '&&=', 'cursor');
  const pairs =
    known.length === 0
      ? unknown
      : fc.oneof({ weight: 5, arbitrary: fc.oneof(...known) }, { weight: 1, arbitrary: unknown });
  const some = fc.array(pairs, { minLength: 1, maxLength: 3 }).map((list) => `?${list.join('&')}`);
  const none = { weight: known.length === 0 ? 16 : 1, arbitrary: fc.constant('') };
  const required = route.queryParameters.filter((parameter) => parameter.required === true).map(pair);
  if (required.length === 0) return fc.oneof(none, { weight: 2, arbitrary: some });
  // A request without these is refused before anything else is checked.
  const necessary = fc.tuple(...required).map((list) => `?${list.join('&')}`);
  return fc.oneof(none, { weight: 1, arbitrary: some }, { weight: 3, arbitrary: necessary });
}

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  // Few different keys, so that requests reuse a key with another body.
  { weight: 4, arbitrary: fc.integer({ max: 9, min: 0 }).map((key) => ({ 'idempotency-key': `key-${key}` })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': '///' },
      { 'content-encoding': 'gzip' },
      { 'idempotency-key': '' },
      { 'idempotency-key': 'x'.repeat(256) },
      { 'x-request-id': 'a b' },
      { 'x-request-id': 'x'.repeat(200) },
      { 'x-tenant-id': 'x' },
      { 'x-tenant-id': newId() },
      { 'x-forwarded-for': '1.2.3.4, ::1, unknown' },
      { accept: 'text/html', 'accept-language': '*' },
      { range: 'bytes=0-0', 'if-none-match': '*' },
    ),
  },
);

function bodyOf(route: LiveRoute, context: RequestContext): fc.Arbitrary<string | undefined> {
  return route.fileTypes.length === 0 ? bodyText(route.body, context) : fileText(context);
}

/** Generates a file of licenses, mostly valid, as CSV or NDJSON. The content type of the request may not match. */
function fileText(context: RequestContext): fc.Arbitrary<string> {
  const cell = fc.oneof(
    fc.constantFrom(
      '',
      ...(context.existing['policy_id'] ?? []),
      ...(context.existing['key'] ?? []),
      'null',
      '-1',
      '{}',
    ),
    oddText.map((text) => text.slice(0, 200).toWellFormed()),
  );
  const columns = ['key', 'status', 'holder_name', 'expires_at', 'max_activations', 'metadata', 'entitlements', 'id'];
  const names = fc.subarray(columns, { maxLength: 3 });
  const policyId = fc.constantFrom(...(context.existing['policy_id'] ?? ['']));
  const good = fc.tuple(policyId, fc.constantFrom('policy_id', 'policy_id,holder_name'));
  const goodFile = good.map(([id, header]) => [
    `${header}\n${id}${header.includes(',') ? ',Ada' : ''}\n`,
    `${JSON.stringify({ policy_id: id })}\n`,
  ]);
  const oddFile = fc
    .tuple(policyId, names, fc.array(cell, { minLength: 3, maxLength: 3 }))
    .map(([id, header, cells]) => [
      `${['policy_id', ...header].join(',')}\n${[id, ...cells.slice(0, header.length)].join(',')}\n`,
      `${JSON.stringify({ policy_id: id, ...Object.fromEntries(header.map((name, index) => [name, cells[index]])) })}\n`,
    ]);
  const forms = fc.oneof(goodFile, oddFile);
  return fc.oneof(
    { weight: 5, arbitrary: fc.tuple(forms, fc.nat(1)).map(([form, which]) => form[which] ?? '') },
    { weight: 1, arbitrary: oddText },
  );
}

/** Generates requests to a route. Most are almost valid, and most carry a credential that the route accepts. */
export function requestTo(
  route: LiveRoute,
  context: RequestContext,
  { primary, others }: Credentials,
): fc.Arbitrary<FuzzedRequest> {
  const values = Object.fromEntries(
    route.pathParameters.map((parameter) => [parameter.name, pathValue(parameter, context)]),
  );
  const takesBody = route.method !== 'GET';
  return fc
    .record({
      credential: fc.oneof(
        { weight: 8, arbitrary: fc.constant(primary) },
        { weight: 2, arbitrary: fc.constantFrom(...others) },
      ),
      values: fc.record(values),
      query: queryString(route, context),
      headers: oddHeaders,
      type: fc.constantFrom('application/json', ...route.fileTypes, ...route.fileTypes),
      body: takesBody ? bodyOf(route, context) : fc.constant(undefined),
      wire: fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wireMutation }),
    })
    .map(({ credential, values: chosen, query, headers, type, body, wire }) => ({
      credential,
      method: route.method,
      url: pathOf(route, chosen) + query,
      headers: {
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
        ...credential.headers,
      },
      ...(body === undefined ? {} : { payload: body }),
      ...(wire === undefined ? {} : { wire }),
    }));
}

/** Fills the path. A value with the prefix `raw:` is sent without encoding, so that invalid encodings are sent too. */
function pathOf(route: LiveRoute, values: Readonly<Record<string, string>>): string {
  const wellFormed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.toWellFormed()]));
  return fillPath(route.path, wellFormed).replace(/raw%3A([^/]*)/g, (_match, text: string) => decodeURIComponent(text));
}
