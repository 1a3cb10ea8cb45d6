import { Agent, request as openRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../fuzz/world.ts';
import { createSite, startApp, stopApp, type TestSite } from '../support/harness.ts';
import { type LiveRoute, liveRoutes } from '../support/routes.ts';
import { createChoice } from './chosen-texts.ts';
import {
  type Attempt,
  bodyAttempt,
  decidingHeaders,
  forcedBodyAttempt,
  forcedParameterAttempt,
  type HostileRequest,
  headerAttempt,
  headerTexts,
  type Meant,
  otherHeaders,
  parameterAttempt,
  type RawBody,
  rawAttempt,
  type TextField,
  textsOfBody,
  textsOfParameters,
} from './hostile-requests.ts';
import { type HostileText, hostileTexts, worstTexts } from './hostile-texts.ts';
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
/** How many requests are sent at the same time. */
const width = 4;
const agent = new Agent({ keepAlive: true, maxSockets: width });
/** The address of messages of a shop that signs nothing. */
let gumroadId: string;
let owner: Readonly<Record<string, string>>;

/** These routes come last: they end what other requests use, or a later change would create deliveries because of them. */
const endings =
  /\/(?:webhooks|revoke|suspend|close|logout|deletion|cancel|archive|rotate-key|replace-key|release|deactivate)$/;
const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const rankOf = ({ method, path }: LiveRoute) =>
  method !== 'GET' && endings.test(path) ? order.length : order.indexOf(method);

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
  // More than Node accepts by default, so that one request has many long headers.
  service = await startMeasured({ ...site.env, ...env, NODE_OPTIONS: '--max-http-header-size=700000' });
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

/** A response must begin within this time; it ends a run that hangs. */
const patienceMs = 60_000;

/** The requests that wait for their responses. */
const unanswered = new Set<string>();

/** Sends a request and reads the response. */
async function sendOnce({ method, url, headers, body }: HostileRequest): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const sent = openRequest(`${service.address}${url}`, {
    agent,
    method,
    headers: { 'x-forwarded-for': nextAddress(), ...headers },
  });
  sent.on('error', reject);
  const own = `${method} ${url.slice(0, 300)}`;
  unanswered.add(own);
  sent.on('close', () => unanswered.delete(own));
  // A request that blocks the service also delays the others, so any of these can be the cause.
  sent.setTimeout(patienceMs, () => sent.destroy(new Error(`No response: ${[...unanswered].join(', ')}.`)));
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

/** Sends requests, a few at the same time. */
async function sendAll(attempts: readonly Attempt[]): Promise<void> {
  const waiting = [...attempts];
  const sendNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      statusOf.set(next.title, await send(next));
    }
  };
  await Promise.all(Array.from({ length: width }, sendNext));
}

/** Returns the requests that held the event loop each of six times: other work of the service holds it only now and then. */
async function slowOf(attempts: readonly Attempt[]): Promise<string[]> {
  await service.longestTurns();
  await sendAll(attempts);
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

/** So many requests are measured together. If they took long together, each is sent again. */
const groupSize = 12;

/** Sends requests, and fails if one of them holds the event loop. */
async function expectShortTurns(attempts: readonly Attempt[]): Promise<void> {
  statusOf.clear();
  const slow: string[] = [];
  for (let index = 0; index < attempts.length; index += groupSize) {
    slow.push(...(await slowOf(attempts.slice(index, index + groupSize))));
  }
  expect(slow).toEqual([]);
}

/** The status of the response to each request of the current test, by its title. */
const statusOf = new Map<string, number>();

const successes = () => [...statusOf.values()].filter((status) => status < 300).length;

const meantOf = ({ title }: LiveRoute): Meant => meantFor.get(title) ?? { credential: {}, existing: {} };

/** Sent first, and to every field: what its schema refuses is read too. */
const [worstText = hostileTexts[0] as HostileText] = worstTexts;

type AttemptOf = (route: LiveRoute, meant: Meant, text: HostileText) => Attempt;

/** Returns the requests to each route: the worst text in every field, and the chosen texts where the schemas accept them. */
function attemptsOf(
  ofRoutes: readonly LiveRoute[],
  textsOf: (route: LiveRoute) => readonly TextField[],
  accepted: AttemptOf,
  forced: AttemptOf,
): Attempt[] {
  const choose = createChoice(textsOf);
  return ofRoutes.flatMap((route) => [
    forced(route, meantOf(route), worstText),
    ...choose(route).map((text) => accepted(route, meantOf(route), text)),
  ]);
}

test(
  'no text in the fields of a body holds the event loop for 50 ms',
  async () => {
    const withBody = routes.filter(({ body }) => body !== undefined);
    expect(withBody.length).toBeGreaterThan(100);
    await expectShortTurns(attemptsOf(withBody, textsOfBody, bodyAttempt, forcedBodyAttempt));
    expect(successes()).toBeGreaterThan(200);
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
    await expectShortTurns(attemptsOf(withParameters, textsOfParameters, parameterAttempt, forcedParameterAttempt));
    expect(successes()).toBeGreaterThan(200);
  },
  timeoutMs,
);

test(
  'no text in a header holds the event loop for 50 ms',
  async () => {
    const one = routes.find(({ title }) => title === 'POST /api/v1/tenant/products');
    if (one === undefined) throw new Error('The route that receives every header with every text is gone.');
    const texts = headerTexts(hostileTexts);
    const together = texts.map((text) => [text, headerAttempt(one, meantOf(one), otherHeaders, text)] as const);
    await expectShortTurns(together.map(([, attempt]) => attempt));
    // The others may have been refused for one header before another was read.
    const refused = together.filter(([, { title }]) => statusOf.get(title) !== 422).map(([text]) => text);
    expect(refused.length).toBeLessThan(5);
    const alone = [
      ...decidingHeaders.flatMap((name) => texts.map((text) => [name, text] as const)),
      ...otherHeaders.flatMap((name) => refused.map((text) => [name, text] as const)),
    ];
    await expectShortTurns(alone.map(([name, text]) => headerAttempt(one, meantOf(one), [name], text)));
  },
  timeoutMs,
);

const kibibyte = 1024;

/** JSON of which a parser reads more than the first character, and one other text. */
const jsonTexts = hostileTexts.filter(({ title, make }) => /^[\s[{"\d]/.test(make(10)) || title === worstText.title);

test(
  'no text as the whole body of a form, a file, a shop’s message or JSON holds the event loop for 50 ms',
  async () => {
    const type = (name: string) => ({ 'content-type': name });
    const form = type('application/x-www-form-urlencoded');
    const multipart = type('multipart/form-data; boundary=a');
    const cells = { start: 'key,policy_id,holder_name\n', length: 16 * kibibyte };
    const part = {
      start: '--a\r\nContent-Disposition: form-data; name="',
      length: 15 * kibibyte,
      end: '"\r\n\r\na\r\n--a--\r\n',
    };
    const ownJson = { ...owner, ...type('application/json') };
    const sandboxHeaders = { ...type('application/json'), 'sandbox-signature': 't=1,v1=00' };
    const [shop, unsubscribe] = [`/webhooks/sales/${gumroadId}`, '/api/v1/marketing/unsubscribe'];
    const [licenses, imports] = ['/api/v1/tenant/licenses', '/api/v1/tenant/licenses/import'];
    const short = { length: 16 * kibibyte };
    // What takes time in proportion to the length is slow for any text, and quadratic time shows in short bodies.
    const [largest, largestFile] = [{ length: 512 * kibibyte }, { length: 256 * kibibyte }];
    const some = [...worstTexts, ...hostileTexts.filter((_text, index) => index % 16 === 0)];
    const bodies: readonly (readonly [
      path: string,
      headers: Readonly<Record<string, string>>,
      parts: RawBody,
      texts: readonly HostileText[],
    ])[] = [
      [shop, form, short, hostileTexts],
      [shop, type('application/json'), short, jsonTexts],
      [shop, form, largest, some],
      ['/webhooks/sandbox', sandboxHeaders, largest, some],
      [unsubscribe, form, short, some],
      [unsubscribe, multipart, part, hostileTexts],
      [unsubscribe, multipart, short, hostileTexts],
      ['/sandbox/checkout/unknown/pay', type('application/json'), { start: '{"name":"', ...short, end: '"}' }, some],
      [imports, { ...owner, ...type('text/csv') }, short, hostileTexts],
      [imports, { ...owner, ...type('text/csv') }, largestFile, some],
      [imports, { ...owner, ...type('text/csv') }, cells, hostileTexts],
      [imports, { ...owner, ...type('application/x-ndjson') }, short, jsonTexts],
      [imports, { ...owner, ...type('application/x-ndjson') }, largestFile, some],
      [licenses, ownJson, short, jsonTexts],
      [licenses, ownJson, { length: 128 * kibibyte }, some],
      [licenses, ownJson, { start: '{"a":"', ...short, end: '"}' }, hostileTexts],
      [licenses, ownJson, { start: '{"a":', ...short, end: '}' }, jsonTexts],
    ];
    await expectShortTurns(
      bodies.flatMap(([path, headers, parts, texts]) => texts.map((text) => rawAttempt(path, headers, text, parts))),
    );
  },
  timeoutMs,
);
