import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from './json.ts';

/** How objects are compared: `exact` allows no further fields, `contains` does. */
export type Comparison = 'exact' | 'contains';

/**
 * Returns every difference between a value and what a case expects; none if it fits. An expected object with one of the
 * keys `$matches` (regular expression), `$one_of` (values) or `$absent` is a condition instead of a value.
 */
export function differences(expected: Json, actual: unknown, comparison: Comparison, path = ''): string[] {
  const condition = conditionOf(expected);
  if (condition !== undefined) return condition.holds(actual) ? [] : [message(path, condition.text, actual)];
  if (Array.isArray(expected)) return listDifferences(expected, actual, comparison, path);
  if (isObject(expected)) return objectDifferences(expected, actual, comparison, path);
  return isDeepStrictEqual(expected, actual) ? [] : [message(path, show(expected), actual)];
}

interface Condition {
  readonly text: string;
  holds(actual: unknown): boolean;
}

function conditionOf(expected: Json): Condition | undefined {
  if (!isObject(expected)) return undefined;
  const { $matches, $one_of, $absent } = expected;
  if (typeof $matches === 'string') {
    const pattern = new RegExp($matches, 'u');
    return { text: `a text like ${$matches}`, holds: (actual) => typeof actual === 'string' && pattern.test(actual) };
  }
  if (Array.isArray($one_of)) {
    return {
      text: `one of ${show($one_of)}`,
      holds: (actual) => $one_of.some((one) => isDeepStrictEqual(one, actual)),
    };
  }
  if ($absent === true) return { text: 'nothing', holds: (actual) => actual === undefined || actual === null };
  return undefined;
}

function listDifferences(expected: readonly Json[], actual: unknown, comparison: Comparison, path: string): string[] {
  if (!Array.isArray(actual) || actual.length !== expected.length) return [message(path, show(expected), actual)];
  return expected.flatMap((item, index) => differences(item, actual[index], comparison, `${path}[${index}]`));
}

function objectDifferences(expected: JsonObject, actual: unknown, comparison: Comparison, path: string): string[] {
  if (!isObject(actual)) return [message(path, show(expected), actual)];
  const found = Object.entries(expected).flatMap(([name, value]) =>
    differences(value, Object.hasOwn(actual, name) ? actual[name] : undefined, comparison, join(path, name)),
  );
  if (comparison === 'contains') return found;
  const unexpected = Object.keys(actual).filter((name) => !Object.hasOwn(expected, name));
  return [...found, ...unexpected.map((name) => message(join(path, name), 'nothing', actual[name]))];
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function message(path: string, expected: string, actual: unknown): string {
  return `${path === '' ? 'the answer' : path}: expected ${expected}, got ${show(actual)}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
