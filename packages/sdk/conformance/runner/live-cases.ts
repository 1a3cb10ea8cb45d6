import type { Driver } from './driver.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { compareAnswer, type Expected, type Outcome } from './outcome.ts';
import { startService } from './service.ts';

/** One step of the sequence against a real service. A text `{name}` stands for a value of the service or of a step. */
export interface LiveStep extends Expected {
  readonly title: string;
  readonly operation: string;
  readonly arguments: JsonObject;
  /** Names for fields of the result, for later steps: `{ "activation_id": "id" }`. An empty path is the whole result. */
  readonly save?: Readonly<Record<string, string>>;
}

/** Starts a service in a temporary folder and runs the steps in their order. */
export async function runLiveSteps(driver: Driver, steps: readonly LiveStep[]): Promise<Outcome[]> {
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
