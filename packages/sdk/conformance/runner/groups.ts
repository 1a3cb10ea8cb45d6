import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver } from './driver.ts';
import { type ExchangeCase, runExchangeCases } from './exchange-cases.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { type LiveStep, runLiveSteps } from './live-cases.ts';
import { type OfflineCase, runOfflineCases } from './offline-cases.ts';
import type { Outcome } from './outcome.ts';

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
  // The steps build on each other, so none can be left out.
  live: (driver) => runLiveSteps(driver, readCases<LiveStep>('live')),
};

function exchanges(name: string): RunGroup {
  return (driver, part) => runExchangeCases(driver, select(readCases<ExchangeCase>(name), part), name);
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

/** Runs the cases of a group whose title contains `titlePart`. */
export async function runGroup(driver: Driver, name: string, titlePart: string): Promise<Outcome[]> {
  return (await groups[name]?.(driver, titlePart)) ?? [];
}
