import { Agent, request as openRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../fuzz/world.ts';
import { createSite, startApp, stopApp, type TestSite } from '../support/harness.ts';
import { type LiveRoute, liveRoutes } from '../support/routes.ts';
import {
  type Attempt,
  bodyAttempt,
  type HostileRequest,
  hasLongText,
  headerAttempt,
  headerNames,
  type Meant,
  parameterAttempt,
  type RawBody,
  rawAttempt,
} from './hostile-requests.ts';
import { hostileTexts } from './hostile-texts.ts';
import { type MeasuredService, startMeasured } from './measured-service.ts';

const env = { PAYMENT_PROVIDER: 'sandbox', TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'error' };

/** The guarantee: no request keeps all others waiting for longer, in processor time of this machine. */
const turnMaxMs = 50;
/** Requests that may take longer, with a reason. */
const longTurns: readonly (readonly [title: RegExp, maxMs: number])[] = [
  // The answer lists every problem of a file, at most 10,000.
  [/^POST \S+\/licenses\/import/, 400],
];
/** It only ends a run that hangs. */
const timeoutMs = 1_500_000;

let site: TestSite;
let service: MeasuredService;
let routes: readonly LiveRoute[];
let meantFor: ReadonlyMap<string, Meant>;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** The address of messages of a shop that signs nothing. */
let gumroadId: string;
let owner: Readonly<Record<string, string>>;

/** Routes that end what other requests use come last. */
const endings = /\/(?:revoke|suspend|close|logout|deletion|cancel|archive|rotate-key|replace-key|release|deactivate)$/;
const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const rankOf = ({ method, path }: LiveRoute) => (endings.test(path) ? order.length : order.indexOf(method));

beforeAll(async () => {
  site = await createSite();
  const app = await startApp(site, env);
  const world = await createWorld(app);
  await world.refresh();
  const all = liveRoutes(app);
  const titles = new Set(all.map(({ title }) => title));
  // The route for a tenant's users that an admin's route repeats has the same schema and the same handler.
  const twinOf = ({ title }: LiveRoute) => title.replace('/api/v1/admin/tenants/{tenantId}/', '/api/v1/tenant/');
  routes = all
    .filter((route) => twinOf(route) === route.title || !titles.has(twinOf(route)))
    .sort((left, right) => rankOf(left) - rankOf(right));
  meantFor = new Map(
    routes.map((route) => {
      const { context, primary } = world.contextOf(route);
      return [route.title, { credential: primary.headers, existing: context.existing }];
    }),
  );
  const shop = { provider: 'gumroad', name: 'Gumroad', api_key: 'gumroad-token' };
  gumroadId = (await world.own.asOwner('POST', '/connections', shop)).body.data.id;
  owner = world.own.owner.auth;
  await stopApp(app);
  service = await startMeasured({ ...site.env, ...env });
}, timeoutMs);

afterAll(async () => {
  agent.destroy();
  await service.stop();
  await site.remove();
});

let requests = 0;

/** Every request has its own client address, so that no throttle answers first. */
function nextAddress(): string {
  requests += 1;
  return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
}

interface Response {
  readonly status: number;
  readonly text: string;
}

/** Sends a request and reads the response. */
async function sendOnce({ method, url, headers, body }: HostileRequest): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const sent = openRequest(`${service.address}${url}`, {
    agent,
    method,
    headers: { 'x-forwarded-for': nextAddress(), ...headers },
  });
  sent.on('error', reject);
  sent.on('response', (response) => {
    textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
  });
  sent.end(body);
  return await promise;
}

/** How often a body is sent again without the text in the fields that refused it. */
const corrections = 2;

/** Sends a request, and again with valid values in the fields that refused the text, so that it reaches the handler. */
async function send({ build }: Attempt): Promise<number> {
  const refused = new Set<string>();
  for (let correction = 0; ; correction += 1) {
    const request = build(refused);
    const { status, text } = await sendOnce(request);
    const before = refused.size;
    if (status === 422) {
      const { details = [] } = JSON.parse(text).error as { readonly details?: readonly { readonly field: string }[] };
      for (const { field } of details) refused.add(field);
    }
    if (status !== 422 || refused.size === before || correction === corrections) return status;
  }
}

/** Returns the longest turn that a request causes. Afterwards nothing of it is left to do. */
async function turnOf(attempt: Attempt): Promise<number> {
  await service.longestTurns();
  await send(attempt);
  return (await service.longestTurns()).cpuMs;
}

const repetitions = 6;

const maxMsOf = ({ title }: Attempt) => longTurns.find(([pattern]) => pattern.test(title))?.[1] ?? turnMaxMs;

/** Returns the requests that held the event loop each of six times: other work of the service holds it only now and then. */
async function slowOf(attempts: readonly Attempt[]): Promise<string[]> {
  await service.longestTurns();
  for (const attempt of attempts) if ((await send(attempt)) < 300) answered += 1;
  const { cpuMs } = await service.longestTurns();
  if (cpuMs < Math.min(...attempts.map(maxMsOf))) return [];
  const slow: string[] = [];
  for (const attempt of attempts) {
    const maxMs = maxMsOf(attempt);
    const turns: number[] = [];
    while (turns.length < repetitions && (turns.at(-1) ?? maxMs) >= maxMs) turns.push(await turnOf(attempt));
    if (Math.min(...turns) >= maxMs) slow.push(`${attempt.title}: ${turns.map(Math.round).join(', ')} ms`);
  }
  return slow;
}

/** Sends groups of requests, each to one route, and fails if one of them holds the event loop. */
async function expectShortTurns(groups: readonly (readonly Attempt[])[]): Promise<void> {
  const slow: string[] = [];
  for (const attempts of groups) slow.push(...(await slowOf(attempts)));
  expect(slow).toEqual([]);
}

let answered = 0;

const meantOf = ({ title }: LiveRoute): Meant => meantFor.get(title) ?? { credential: {}, existing: {} };

/** Returns every eighth text, from another one for each route: short fields are too many for all texts. */
const everyEighth = (routeIndex: number) => hostileTexts.filter((_text, index) => (index + routeIndex) % 8 === 0);

test(
  'no text in the fields of a body holds the event loop for 50 ms',
  async () => {
    const withBody = routes.filter(({ body }) => body !== undefined);
    expect(withBody.length).toBeGreaterThan(100);
    answered = 0;
    const attempts = (route: LiveRoute, index: number) => {
      const texts = hasLongText(route.body ?? {}) ? hostileTexts : everyEighth(index);
      return texts.map((text) => bodyAttempt(route, meantOf(route), text));
    };
    await expectShortTurns(withBody.map(attempts));
    expect(answered).toBeGreaterThan(200);
  },
  timeoutMs,
);

test(
  'no text in the path or the query of a request holds the event loop for 50 ms',
  async () => {
    const withParameters = routes.filter(
      ({ method, pathParameters, queryParameters }) =>
        method !== 'DELETE' && pathParameters.length + queryParameters.length > 0,
    );
    expect(withParameters.length).toBeGreaterThan(100);
    answered = 0;
    const attempts = (route: LiveRoute, index: number) =>
      everyEighth(index).map((text) => parameterAttempt(route, meantOf(route), text));
    await expectShortTurns(withParameters.map(attempts));
    expect(answered).toBeGreaterThan(200);
  },
  timeoutMs,
);

test(
  'no text in a header holds the event loop for 50 ms',
  async () => {
    const one = routes.find(({ title }) => title === 'POST /api/v1/tenant/products');
    if (one === undefined) throw new Error('The route that receives every header with every text is gone.');
    const all = headerNames.map((name) => hostileTexts.map((text) => headerAttempt(one, meantOf(one), name, text)));
    await expectShortTurns(all);
  },
  timeoutMs,
);

const kibibyte = 1024;

test(
  'no text as the whole body of a form, a file, a shop’s message or JSON holds the event loop for 50 ms',
  async () => {
    const type = (name: string) => ({ 'content-type': name });
    const form = type('application/x-www-form-urlencoded');
    const multipart = type('multipart/form-data; boundary=a');
    const cells = { start: 'key,policy_id,holder_name\n', length: 60 * kibibyte };
    const part = {
      start: '--a\r\nContent-Disposition: form-data; name="',
      length: 15 * kibibyte,
      end: '"\r\n\r\na\r\n--a--\r\n',
    };
    const bodies: readonly (readonly [path: string, headers: Readonly<Record<string, string>>, parts: RawBody])[] = [
      [`/webhooks/sales/${gumroadId}`, form, { length: 16 * kibibyte }],
      [`/webhooks/sales/${gumroadId}`, type('application/json'), { length: 16 * kibibyte }],
      [`/webhooks/sales/${gumroadId}`, form, { length: 512 * kibibyte }],
      [
        `/webhooks/sandbox`,
        { ...type('application/json'), 'sandbox-signature': 't=1,v1=00' },
        { length: 512 * kibibyte },
      ],
      ['/api/v1/marketing/unsubscribe', form, { length: 16 * kibibyte }],
      ['/api/v1/marketing/unsubscribe', multipart, part],
      ['/api/v1/marketing/unsubscribe', multipart, { length: 16 * kibibyte }],
      [
        '/sandbox/checkout/unknown/pay',
        type('application/json'),
        { start: '{"name":"', length: 16 * kibibyte, end: '"}' },
      ],
      ['/api/v1/tenant/licenses/import', { ...owner, ...type('text/csv') }, { length: 256 * kibibyte }],
      ['/api/v1/tenant/licenses/import', { ...owner, ...type('text/csv') }, cells],
      ['/api/v1/tenant/licenses/import', { ...owner, ...type('application/x-ndjson') }, { length: 256 * kibibyte }],
      ['/api/v1/tenant/licenses', { ...owner, ...type('application/json') }, { length: 128 * kibibyte }],
      [
        '/api/v1/tenant/licenses',
        { ...owner, ...type('application/json') },
        { start: '{"a":"', length: 64 * kibibyte, end: '"}' },
      ],
      [
        '/api/v1/tenant/licenses',
        { ...owner, ...type('application/json') },
        { start: '{"a":', length: 64 * kibibyte, end: '}' },
      ],
    ];
    await expectShortTurns(
      bodies.map(([path, headers, parts]) => hostileTexts.map((text) => rawAttempt(path, headers, text, parts))),
    );
  },
  timeoutMs,
);
