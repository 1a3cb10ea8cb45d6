import { operationNamed } from './operators.ts';
import { isObject, type JsonObject, type Path } from './problems.ts';

/** A literal value that a rule can return, with its path. */
export interface Result {
  readonly value: string | number | boolean;
  readonly path: Path;
}

/**
 * Returns the values that a well-formed rule can return, if they are known without a context. Computed values are left
 * out, and so is `null`, which means the default variant.
 */
export function knownResults(rule: unknown, path: Path): Result[] {
  if (typeof rule === 'string' || typeof rule === 'number' || typeof rule === 'boolean') return [{ value: rule, path }];
  if (!isObject(rule)) return [];
  const [name = ''] = Object.keys(rule);
  return resultsOf(rule, name, [...path, name]);
}

function resultsOf(rule: JsonObject, name: string, path: Path): Result[] {
  const list = rule[name];
  const args: readonly unknown[] = Array.isArray(list) ? list : [list];
  const resultsAt = (index: number) => knownResults(args[index], [...path, index]);
  if (name === 'if') return indicesOfBranches(args.length).flatMap(resultsAt);
  // `or` returns the first truthy argument and `and` the first falsy one. Only the last argument may return either.
  if (name === 'or') return args.flatMap((_arg, index) => ending(resultsAt(index), index < args.length - 1, true));
  if (name === 'and') return args.flatMap((_arg, index) => ending(resultsAt(index), index < args.length - 1, false));
  if (name === 'var') return resultsAt(1);
  if (name === 'fractional') {
    return args.flatMap((bucket, index) => (Array.isArray(bucket) ? knownResults(bucket[0], [...path, index, 0]) : []));
  }
  if (operationNamed(name)?.returns !== 'boolean') return [];
  return [true, false].map((value) => ({ value, path }));
}

/**
 * Returns the indices of the arguments that `if` can return. Its arguments are pairs of a condition and a result, then
 * an optional default. With one argument, `if` returns its condition.
 */
function indicesOfBranches(length: number): number[] {
  return Array.from({ length }, (_, index) => index).filter((index) => index % 2 === 1 || index === length - 1);
}

function ending(results: readonly Result[], isFollowed: boolean, stopsAt: boolean): readonly Result[] {
  return isFollowed ? results.filter(({ value }) => Boolean(value) === stopsAt) : results;
}
