import { isObject, type JsonObject } from '../definition/problems.ts';

/** The slot of each condition that several flags have, by the JSON of the condition. */
export type SharedConditions = ReadonlyMap<string, number>;

/** For the rules of one flag alone. */
export const noSharedConditions: SharedConditions = new Map();

/** These results differ from flag to flag, or with the time. */
const dependsOnFlag = /"fractional"|\$flagd/;

/**
 * Finds the operations that occur more than once in these rules, such as the condition of a segment that several flags
 * have. A request evaluates each of them once. Variables are left out, because reading one costs as little.
 */
export function findSharedConditions(rules: readonly unknown[]): SharedConditions {
  const counts = new Map<string, number>();
  for (const rule of rules) countOperations(rule, counts);
  const shared = [...counts].filter(([text, count]) => count > 1 && !dependsOnFlag.test(text));
  return new Map(shared.map(([text], slot) => [text, slot]));
}

function countOperations(value: unknown, counts: Map<string, number>): void {
  if (Array.isArray(value)) for (const item of value) countOperations(item, counts);
  if (!isObject(value) || Object.hasOwn(value, 'var')) return;
  const text = conditionText(value);
  counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const part of Object.values(value)) countOperations(part, counts);
}

/** Returns the text by which a condition is recognised. */
export function conditionText(operation: JsonObject): string {
  return JSON.stringify(operation);
}
