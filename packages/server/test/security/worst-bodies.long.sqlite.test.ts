import { describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { fillPath, type JsonSchema, type LiveRoute, liveRoutes, unknownValues } from '../support/routes.ts';

const suite = useTenant({ LOG_LEVEL: 'warn', PAYMENT_PROVIDER: 'sandbox', TRUST_PROXY: '127.0.0.1' });

const largestBytes = 1024 * 1024;

/** Repeats an item as often as a body of a length allows. */
function repeated(start: string, item: (index: number) => string, end: string, bytes: number): string {
  const parts: string[] = [];
  let length = start.length + end.length;
  for (let index = 0; ; index += 1) {
    const part = index === 0 ? item(index) : `,${item(index)}`;
    if (length + part.length > bytes) return `${start}${parts.join('')}${end}`;
    parts.push(part);
    length += part.length;
  }
}

/** Keeps the bodies that many operations receive. */
function kept(make: (bytes: number) => string): (bytes: number) => string {
  const bodies = new Map<number, string>();
  return (bytes) => {
    const body = bodies.get(bytes) ?? make(bytes);
    bodies.set(bytes, body);
    return body;
  };
}

const unknownFields = kept((bytes) => repeated('{', (index) => `"f${index}":0`, '}', bytes));
const fieldsWithNul = kept((bytes) => repeated('{', (index) => `"f${index}":"\\u0000"`, '}', bytes));
const nestedLists = kept((bytes) => repeated('{"x":[', () => `${'['.repeat(29)}${']'.repeat(29)}`, ']}', bytes));

/** A list or a text inside a body; in its path `0` is the first item of a list. */
interface Place {
  readonly path: readonly string[];
  readonly kind: 'array' | 'string';
}

function placesOf(schema: JsonSchema, path: readonly string[] = []): Place[] {
  const branches = (schema['anyOf'] ?? []) as readonly JsonSchema[];
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const inside = [
    ...branches.flatMap((branch) => placesOf(branch, path)),
    ...properties.flatMap(([name, property]) => placesOf(property, [...path, name])),
    ...(schema['items'] === undefined ? [] : placesOf(schema['items'] as JsonSchema, [...path, '0'])),
  ];
  const types = [schema['type']].flat();
  if (types.includes('array')) return [{ path, kind: 'array' }, ...inside];
  return types.includes('string') ? [{ path, kind: 'string' }] : inside;
}

/** Returns the start and the end of a body around the value at a place. */
function around(path: readonly string[]): readonly [start: string, end: string] {
  const open = path.map((name) => (name === '0' ? '[' : `{${JSON.stringify(name)}:`));
  const close = path.map((name) => (name === '0' ? ']' : '}')).reverse();
  return [open.join(''), close.join('')];
}

type Body = readonly [title: string, make: (bytes: number) => string];

function listsAt({ path }: Place): Body[] {
  const [start, end] = around(path);
  const list = (item: string) => (bytes: number) => repeated(`${start}[`, () => item, `]${end}`, bytes);
  const unknown = (bytes: number) => repeated(`${start}[{`, (index) => `"f${index}":0`, `}]${end}`, bytes);
  const name = path.join('.');
  return [
    [`${name}: short texts`, list('"a"')],
    [`${name}: empty objects`, list('{}')],
    [`${name}: objects with unknown fields`, list('{"x":0,"y":0}')],
    [`${name}: an object with unknown fields`, unknown],
  ];
}

function textAt({ path }: Place): Body {
  const [start, end] = around(path);
  return [
    `${path.join('.')}: a long text`,
    (bytes) => `${start}"${'a'.repeat(bytes - start.length - end.length - 2)}"${end}`,
  ];
}

/** The route for a tenant's users that an admin's route repeats: both have the same schema and the same handler. */
const twinOf = ({ title }: LiveRoute) => title.replace('/api/v1/admin/tenants/{tenantId}/', '/api/v1/tenant/');

function bodiesOf({ body = {} }: LiveRoute): Body[] {
  const places = placesOf(body);
  return [
    ['unknown fields', unknownFields],
    ['fields with NUL', fieldsWithNul],
    ['nested lists', nestedLists],
    ['brackets', (bytes) => '['.repeat(bytes)],
    ...places.filter(({ kind }) => kind === 'array').flatMap(listsAt),
    ...places
      .filter(({ kind }) => kind === 'string')
      .slice(0, 1)
      .map(textAt),
  ];
}

function credentialOf({ path }: LiveRoute): Headers {
  if (path.startsWith('/api/v1/integration/') || path.startsWith('/ofrep/'))
    return { 'x-api-key': suite.tenant.apiKey };
  return path.startsWith('/api/v1/admin/') ? suite.admin.auth : suite.tenant.owner.auth;
}

/** Every request has its own address, so that no throttle answers before the body is read. */
let requests = 0;
function nextAddress(): string {
  requests += 1;
  return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
}

type Headers = Readonly<Record<string, string>>;

interface Sent {
  readonly status: number;
  readonly text: string;
  /** The processor time of the event loop's thread. */
  readonly cpuMs: number;
}

async function send(route: LiveRoute, payload: string, credential: Headers): Promise<Sent> {
  const url = fillPath(route.path, { ...unknownValues(), tenantId: suite.tenant.id });
  const headers = { ...credential, 'content-type': 'application/json', 'x-forwarded-for': nextAddress() };
  const before = process.threadCpuUsage();
  const { status, text } = await suite.app.request({ method: route.method, url, headers, payload });
  const { user, system } = process.threadCpuUsage(before);
  return { status, text, cpuMs: (user + system) / 1000 };
}

/** The processor time that this machine needs at present to parse a body of 1 MiB; other work on it changes both. */
function parseMs(): number {
  const text = unknownFields(largestBytes);
  const before = process.threadCpuUsage();
  for (let round = 0; round < 3; round += 1) JSON.parse(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 3000;
}

const attempts = 4;

/** Returns why an answer took too long; undefined if one of four attempts was within the bound. */
async function problemOf(
  route: LiveRoute,
  title: string,
  payload: string,
  credential: Headers,
): Promise<string | undefined> {
  const times: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { cpuMs, status } = await send(route, payload, credential);
    // The first bound avoids measuring the machine for every answer.
    if (cpuMs < 40 || cpuMs < 4 * parseMs()) return undefined;
    times.push(`${status} after ${Math.round(cpuMs)} ms`);
  }
  return `${route.title}, ${title}, ${payload.length} bytes: ${times.join(', ')}`;
}

const withBodies = () => liveRoutes(suite.app).filter(({ body }) => body !== undefined);
const sizes: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 * 1024 };

/** Returns the body limit that a route states in its refusal; undefined if it refuses before it reads the body. */
async function limitOf(route: LiveRoute, headers: Headers): Promise<number | undefined> {
  const { status, text } = await send(route, '['.repeat(largestBytes + 1), headers);
  const [, amount, unit = ''] = /Send at most (\d+) ([KM]iB)/.exec(text) ?? [];
  return status === 413 ? Number(amount) * (sizes[unit] ?? Number.NaN) : undefined;
}

describe('the worst body that a caller can send', () => {
  const surfaces = [
    ['the Integration API', (path: string) => path.startsWith('/api/v1/integration/') || path.startsWith('/ofrep/')],
    ['the tenant surface', (path: string) => path.startsWith('/api/v1/tenant/')],
    ['the admin surface', (path: string) => path.startsWith('/api/v1/admin/')],
    ['all other operations', (path: string) => !/^\/(ofrep|api\/v1\/(integration|tenant|admin))\//.test(path)],
  ] as const;

  test.each(surfaces)(
    'no body to %s, within its limit or above it, with credentials or without, keeps the event loop busy',
    async (_surface, includes) => {
      const routes = withBodies().filter(({ path }) => includes(path));
      expect(routes.length).toBeGreaterThan(3);
      const titles = new Set(withBodies().map(({ title }) => title));
      const problems: (string | undefined)[] = [];
      for (const route of routes) {
        const limit = (await limitOf(route, credentialOf(route))) ?? largestBytes;
        const isRepeated = twinOf(route) !== route.title && titles.has(twinOf(route));
        for (const [title, make] of isRepeated ? [] : bodiesOf(route)) {
          problems.push(await problemOf(route, title, make(limit), credentialOf(route)));
        }
        const tooLong = unknownFields(largestBytes);
        for (const credential of [credentialOf(route), {}]) {
          problems.push(await problemOf(route, 'unknown fields', tooLong, credential));
        }
      }
      expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
    },
    600_000,
  );

  test('a body above the limit of its operation is a 413 that states the limit; Integration takes tens of KiB', async () => {
    const limits = new Map<string, number>();
    for (const route of withBodies().filter(({ path }) => path.startsWith('/api/v1/'))) {
      const headers = route.security.length === 0 ? {} : credentialOf(route);
      const limit = await limitOf(route, headers);
      if (limit === undefined) continue;
      limits.set(route.title, limit / 1024);
      const above = await send(route, ' '.repeat(limit + 1), headers);
      const within = await send(route, ' '.repeat(limit), headers);
      expect([route.title, above.status, within.status === 413]).toEqual([route.title, 413, false]);
    }
    expect(limits.size).toBeGreaterThan(40);
    expect([...limits].filter(([title, limit]) => title.includes('/integration/') && limit > 64)).toEqual([
      ['POST /api/v1/integration/licenses/{key}/usage', 1024],
    ]);
  });
});
