import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver } from './driver.ts';
import { type ExchangeCase, runExchangeCases } from './exchange-cases.ts';
import { type GuardCase, runGuardCases } from './guard-cases.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { compareAnswer, type Expected, type Outcome } from './outcome.ts';
import { startService } from './service.ts';

type RunGroup = (driver: Driver, titlePart: string) => Promise<Outcome[]>;

/** Every group of cases, in the order in which they run. */
const groups: Readonly<Record<string, RunGroup>> = {
  requests: exchanges('requests'),
  responses: exchanges('responses'),
  retries: exchanges('retries'),
  certificates: offline('certificates'),
  verdicts: offline('verdicts'),
  webhooks: offline('webhooks'),
  fingerprints: offline('fingerprints'),
  'offline-files': offline('offline-files'),
  guard: guards('guard'),
  updates: guards('updates'),
  // Each step builds on the one before, so no step can be left out.
  live: (driver) => runLiveSteps(driver, readCases<LiveStep>('live')),
};

function exchanges(name: string): RunGroup {
  return (driver, part) => runExchangeCases(driver, select(readCases<ExchangeCase>(name), part), name);
}

function guards(name: string): RunGroup {
  return (driver, part) => runGuardCases(driver, select(readCases<GuardCase>(name), part), name);
}

function offline(name: string): RunGroup {
  return (driver, part) => runOfflineCases(driver, select(readCases<OfflineCase>(name), part));
}

function readCases<Case>(name: string): readonly Case[] {
  const { cases = [] } = readFile(name);
  return withSharedValues(cases) as readonly Case[];
}

function readFile(name: string): JsonObject {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', 'cases', `${name}.json`), 'utf8'));
}

const sharedValues = readFile('shared');

/** Replaces each text `$name` by the value with that name in `shared.json`. */
function withSharedValues(value: Json): Json {
  if (Array.isArray(value)) return value.map(withSharedValues);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withSharedValues(item)]));
  if (typeof value !== 'string' || !value.startsWith('$')) return value;
  const shared = sharedValues[value.slice(1)];
  if (shared === undefined) throw new Error(`shared.json has no value "${value.slice(1)}".`);
  return withSharedValues(shared);
}

function select<Case extends { readonly title: string }>(cases: readonly Case[], titlePart: string): Case[] {
  return cases.filter(({ title }) => title.includes(titlePart));
}

/** The names of the groups, in the order in which they run. */
export const groupNames: readonly string[] = Object.keys(groups);

/** Runs the cases of a group with `titlePart` in their title. */
export async function runGroup(driver: Driver, name: string, titlePart: string): Promise<Outcome[]> {
  return (await groups[name]?.(driver, titlePart)) ?? [];
}

/** A case of a function that needs no network. The result must contain the given fields. */
interface OfflineCase extends Expected {
  readonly title: string;
  readonly operation: string;
  readonly arguments: JsonObject;
}

/** Runs the cases one after the other. */
async function runOfflineCases(driver: Driver, cases: readonly OfflineCase[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const one of cases) {
    const answer = await driver.call({ operation: one.operation, arguments: one.arguments });
    outcomes.push({ title: one.title, problems: compareAnswer(one, answer, 'contains') });
  }
  return outcomes;
}

/** One step of the sequence against a real service. A text `{name}` stands for a value of the service or of a step. */
interface LiveStep extends Expected {
  readonly title: string;
  readonly operation: string;
  readonly arguments: JsonObject;
  /** Names for fields of the result, for later steps: `{ "activation_id": "id" }`. An empty path is the whole result. */
  readonly save?: Readonly<Record<string, string>>;
}

/** Starts a service in a temporary folder and runs the steps in their order. */
async function runLiveSteps(driver: Driver, steps: readonly LiveStep[]): Promise<Outcome[]> {
  const service = await startService();
  try {
    const values = new Map<string, Json>(Object.entries(service.values));
    const client = { name: 'live', base_url: service.origin, api_key: service.apiKey };
    const outcomes: Outcome[] = [];
    for (const step of steps) {
      const given = fill(step.arguments, values);
      if (!isObject(given)) throw new Error(`The arguments of "${step.title}" must be an object.`);
      const answer = await driver.call({
        operation: step.operation,
        arguments: given,
        ...(isOnline(step) && { client }),
      });
      const expected = {
        ...(step.result !== undefined && { result: fill(step.result, values) }),
        ...(step.error !== undefined && { error: fill(step.error, values) }),
      };
      outcomes.push({ title: step.title, problems: compareAnswer(expected, answer, 'contains') });
      for (const [name, path] of Object.entries(step.save ?? {})) values.set(name, read(answer.result, path));
    }
    return outcomes;
  } finally {
    await service.stop();
  }
}

function isOnline({ operation }: LiveStep): boolean {
  return !operation.startsWith('verify_');
}

/** Replaces each text `{name}` by the value with that name. */
function fill(value: Json, values: ReadonlyMap<string, Json>): Json {
  if (Array.isArray(value)) return value.map((item) => fill(item, values));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)]));
  const [, name] = typeof value === 'string' ? (/^\{(\w+)\}$/.exec(value) ?? []) : [];
  return name === undefined ? value : (values.get(name) ?? null);
}

function read(result: unknown, path: string): Json {
  const names = path === '' ? [] : path.split('.');
  const found = names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), result);
  return (found ?? null) as Json;
}
