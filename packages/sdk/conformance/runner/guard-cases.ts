import { isDeepStrictEqual } from 'node:util';
import { startHttpService } from '../guard/http-service.ts';
import type { GuardStep, ServiceSettings } from '../guard/steps.ts';
import { GuardWorld, type Observation } from '../guard/world.ts';
import { differences } from './compare.ts';
import type { Driver } from './driver.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { Outcome } from './outcome.ts';

/** A sequence of steps with a guard. */
export interface GuardCase {
  readonly title: string;
  /** What the service has at the start. */
  readonly service?: ServiceSettings;
  readonly steps: readonly (GuardStep & { readonly seen: Seen })[];
}

/** What is seen after a step. What it does not name is as after the step before. */
export interface Seen {
  /** What is new in the state of each guard. `changes` and `errors` are what its listeners heard in this step. */
  readonly guards?: Readonly<Record<string, JsonObject>>;
  readonly requests?: readonly string[];
  readonly result?: Json;
  /** The status that a start returned, if it is another one than after the step. */
  readonly returned?: string | null;
  readonly error?: string;
}

/** Runs the cases of a group one after the other, each with guards, stores and a service of its own. */
export async function runGuardCases(driver: Driver, cases: readonly GuardCase[], group: string): Promise<Outcome[]> {
  const http = await startHttpService();
  const outcomes: Outcome[] = [];
  try {
    for (const [index, one] of cases.entries()) {
      const client = {
        name: `${group} ${index}`,
        base_url: http.origin,
        api_key: `vx_${'0'.repeat(64)}`,
        max_retries: 0,
      };
      const perform = (operation: string, given: JsonObject) =>
        driver.call({ operation, arguments: given, client: { ...client, is_time_simulated: false } });
      const world = new GuardWorld(perform, one.service);
      http.service = world.service;
      await perform('guard_reset', {});
      outcomes.push({ title: one.title, problems: await problemsOf(world, one) });
    }
  } finally {
    await http.stop();
  }
  return outcomes;
}

/** Plays a case until the first step that goes wrong: what follows would be wrong as well. */
async function problemsOf(world: GuardWorld, { steps }: GuardCase): Promise<string[]> {
  const states = new Map<string, JsonObject>();
  for (const [index, { seen, ...step }] of steps.entries()) {
    const observation = await world.play(step as GuardStep);
    const problems = compare(seen, observation, states);
    if (problems.length > 0) return problems.map((problem) => `step ${index + 1}, ${step.step}: ${problem}`);
  }
  return [];
}

function compare(seen: Seen, observation: Observation, states: Map<string, JsonObject>): string[] {
  const expected: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(observation.guards), ...Object.keys(seen.guards ?? {})])) {
    const { changes = [], errors = [], ...changed } = seen.guards?.[name] ?? {};
    const state = { ...states.get(name), ...changed };
    states.set(name, state);
    expected[name] = { ...state, changes, errors };
  }
  return [
    ...differences(expected, observation.guards, 'exact', 'guards'),
    ...differences(seen.requests ?? [], observation.requests, 'exact', 'requests'),
    ...(seen.result === undefined ? [] : differences(seen.result, observation.result, 'contains', 'result')),
    ...differences(seen.returned ?? null, observation.returned ?? null, 'exact', 'returned'),
    ...differences(seen.error ?? null, observation.error ?? null, 'exact', 'error'),
  ];
}

/** Returns what a step changed, in the form of a case. `states` has the states after the previous step, and is updated. */
export function seenIn(observation: Observation, states: Map<string, JsonObject>): Seen {
  const { requests, result, returned, error } = observation;
  const guards = Object.entries(observation.guards).map(
    ([name, state]) => [name, newsOf(name, state, states)] as const,
  );
  const changed = guards.filter(([, news]) => Object.keys(news).length > 0);
  return {
    ...(changed.length > 0 && { guards: Object.fromEntries(changed) }),
    ...(requests.length > 0 && { requests }),
    ...(result !== undefined && { result: result as Json }),
    ...(returned !== undefined && { returned }),
    ...(error !== undefined && { error: String(error) }),
  };
}

/** Returns the fields of a state that changed, and what the listeners heard, and keeps the state. */
function newsOf(name: string, state: Json, states: Map<string, JsonObject>): JsonObject {
  if (!isObject(state)) return {};
  const { changes = [], errors = [], ...kept } = state;
  const known = states.get(name) ?? {};
  states.set(name, kept);
  const news = Object.entries(kept).filter(([field, value]) => !isDeepStrictEqual(known[field], value));
  const heard = Object.entries({ changes, errors }).filter(([, value]) => Array.isArray(value) && value.length > 0);
  return Object.fromEntries([...news, ...heard]);
}
