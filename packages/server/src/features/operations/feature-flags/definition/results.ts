import { operationNamed } from './operators.ts';
import { isObject, type JsonObject, type Path } from './problems.ts';

/** A plain value that a rule can answer, and where it stands. */
export interface Result {
  readonly value: string | number | boolean;
  readonly path: Path;
}

/**
 * The values that a well-formed rule can answer, as far as they can be known without a context. What is computed is
 * left out, and so is `null`, which means the default variant.
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
  // The first argument decides unless the next is asked, so that of all but the last only one kind is ever answered.
  if (name === 'or') return args.flatMap((_arg, index) => ending(resultsAt(index), index < args.length - 1, true));
  if (name === 'and') return args.flatMap((_arg, index) => ending(resultsAt(index), index < args.length - 1, false));
  if (name === 'var') return resultsAt(1);
  if (name === 'fractional') {
    return args.flatMap((bucket, index) => (Array.isArray(bucket) ? knownResults(bucket[0], [...path, index, 0]) : []));
  }
  if (operationNamed(name)?.answers !== 'boolean') return [];
  return [true, false].map((value) => ({ value, path }));
}

/** `if` has pairs of a condition and what follows from it, then what holds otherwise; alone it answers its condition. */
function indicesOfBranches(length: number): number[] {
  return Array.from({ length }, (_, index) => index).filter((index) => index % 2 === 1 || index === length - 1);
}

function ending(results: readonly Result[], isFollowed: boolean, stopsAt: boolean): readonly Result[] {
  return isFollowed ? results.filter(({ value }) => Boolean(value) === stopsAt) : results;
}
