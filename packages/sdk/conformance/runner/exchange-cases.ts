import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { differences } from './compare.ts';
import type { ClientOptions, Driver, DriverAnswer } from './driver.ts';
import type { Json, JsonObject } from './json.ts';
import { compareAnswer, type Expected, type Outcome } from './outcome.ts';
import { type RecordedRequest, type ScriptedResponse, ScriptedServer } from './scripted-server.ts';

/** A case in which a client talks to a scripted server. */
export interface ExchangeCase {
  readonly title: string;
  /** Replaces options of the client. `{server}` and `{closed}` in `base_url` are a server, and a port without one. */
  readonly client?: Partial<ClientOptions>;
  /** Calls of one client, one after the other. */
  readonly calls: readonly ExchangeCall[];
  /** Headers with a different value in each call. */
  readonly different_headers?: readonly string[];
  /** True if the waits of the calls must not all be equal. */
  readonly different_waits?: boolean;
}

interface ExchangeCall extends Expected {
  readonly operation: string;
  readonly arguments: JsonObject;
  readonly exchanges: readonly Exchange[];
  /** The shortest and the longest wait before each further attempt, in milliseconds. */
  readonly waits_ms?: readonly (readonly [number, number])[];
  /** Headers that every attempt repeats. */
  readonly same_headers?: readonly string[];
  /** True if every attempt must repeat the body. */
  readonly same_body?: boolean;
}

interface Exchange {
  /** The fields that are given must fit; the body must fit exactly. */
  readonly request?: JsonObject;
  readonly response: ScriptedResponse;
}

const apiKey = `vx_${'0123456789abcdef'.repeat(4)}`;

interface Performed {
  readonly answer: DriverAnswer;
  readonly requests: readonly RecordedRequest[];
}

/** Runs the cases one after the other, each with a client of its own. */
export async function runExchangeCases(
  driver: Driver,
  cases: readonly ExchangeCase[],
  group: string,
): Promise<Outcome[]> {
  const server = await ScriptedServer.start();
  const closedOrigin = await closedPort();
  const outcomes: Outcome[] = [];
  for (const [index, one] of cases.entries()) {
    const { base_url: baseUrl = '{server}', ...options } = one.client ?? {};
    const client: ClientOptions = {
      name: `${group} ${index}`,
      base_url: baseUrl.replace('{server}', server.origin).replace('{closed}', closedOrigin),
      api_key: apiKey,
      is_time_simulated: true,
      ...options,
    };
    outcomes.push({ title: one.title, problems: await runCase(driver, server, client, one) });
    server.reset();
  }
  await server.stop();
  return outcomes;
}

async function runCase(
  driver: Driver,
  server: ScriptedServer,
  client: ClientOptions,
  one: ExchangeCase,
): Promise<string[]> {
  const problems: string[] = [];
  const performed: Performed[] = [];
  for (const call of one.calls) {
    server.expect(call.exchanges.map(({ response }) => response));
    const answer = await driver.call({ operation: call.operation, arguments: call.arguments, client });
    performed.push({ answer, requests: server.requests });
    problems.push(...compareCall(call, answer, server.requests));
  }
  return [...problems, ...compareCalls(one, performed)];
}

function compareCall(call: ExchangeCall, answer: DriverAnswer, requests: readonly RecordedRequest[]): string[] {
  const problems = compareAnswer(call, answer, 'exact');
  if (requests.length !== call.exchanges.length) {
    problems.push(`expected ${call.exchanges.length} requests, got ${requests.length}`);
  }
  for (const [index, request] of requests.entries()) {
    const expected = call.exchanges[index]?.request;
    if (expected !== undefined) problems.push(...compareRequest(expected, request, `request[${index}]`));
  }
  const [first, ...others] = requests;
  for (const name of call.same_headers ?? []) {
    if (others.some((other) => other.headers[name] !== first?.headers[name]))
      problems.push(`the attempts have different headers ${name}`);
  }
  if (call.same_body && others.some((other) => differences(first?.body ?? null, other.body, 'exact').length > 0)) {
    problems.push('the attempts have different bodies');
  }
  if (call.waits_ms !== undefined) problems.push(...compareWaits(call.waits_ms, answer.waited_ms ?? []));
  return problems;
}

function compareRequest(expected: JsonObject, request: RecordedRequest, path: string): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const comparison = name === 'headers' ? 'contains' : 'exact';
    return differences(
      value,
      request[name as keyof RecordedRequest] satisfies Json | readonly string[],
      comparison,
      `${path}.${name}`,
    );
  });
}

function compareWaits(expected: readonly (readonly [number, number])[], waited: readonly number[]): string[] {
  const isWithin = expected.every(([shortest, longest], index) => {
    const wait = waited[index] ?? Number.NaN;
    return wait >= shortest && wait <= longest;
  });
  if (isWithin && waited.length === expected.length) return [];
  return [`waits: expected within ${JSON.stringify(expected)} ms, got ${JSON.stringify(waited)}`];
}

function compareCalls(one: ExchangeCase, performed: readonly Performed[]): string[] {
  const problems: string[] = [];
  for (const name of one.different_headers ?? []) {
    const values = performed.map(({ requests }) => requests[0]?.headers[name]);
    if (new Set(values).size !== values.length) problems.push(`two calls have the same header ${name}`);
  }
  if (one.different_waits && new Set(performed.map(({ answer }) => answer.waited_ms?.[0])).size === 1) {
    problems.push('every call waited equally long: the wait must be random');
  }
  return problems;
}

/** Returns the origin of a port that nothing listens on. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
