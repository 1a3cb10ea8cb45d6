import type { ErrorDetail } from '../../../lib/error.ts';
import { isObject, type JsonObject } from '../../../lib/json-object.ts';
import { isVersion } from './flagd.ts';

/** Collects the problems of a definition, each with the dotted path of the mistake. */
export class Problems {
  readonly #details: ErrorDetail[] = [];

  add(path: readonly (string | number)[], message: string): undefined {
    // A definition can contain thousands of mistakes. The first 100 are enough for a person to correct at once.
    if (this.#details.length < 100) this.#details.push({ field: path.join('.'), message });
  }

  get details(): readonly ErrorDetail[] {
    return this.#details;
  }
}

/** The path of a value in a definition: names of fields and indices of lists. */
export type Path = readonly (string | number)[];
/** An operation of flagd's targeting rules, from its schema (https://flagd.dev/schema/v0/targeting.json). */
interface Operation {
  /** The minimum number of arguments. */
  readonly least: number;
  /** The maximum number of arguments. */
  readonly most: number;
  /** Whether a single argument may be given without a list. */
  readonly single?: true;
  /** Whether the operation evaluates its second argument for every element of the first. */
  readonly loop?: true;
  /** The type of the result, where it is known. */
  readonly returns?: 'boolean';
}

const any = Number.POSITIVE_INFINITY;

const two = { least: 2, most: 2 };
const comparison = { ...two, returns: 'boolean' } as const;
const between = { least: 2, most: 3, returns: 'boolean' } as const;
const oneOrMore = { least: 1, most: any };
const negation = { least: 1, most: 1, single: true, returns: 'boolean' } as const;

/** The operations that a targeting rule may use, by name. */
const operations: Readonly<Record<string, Operation>> = {
  if: oneOrMore,
  '==': comparison,
  '===': comparison,
  '!=': comparison,
  '!==': comparison,
  '>': comparison,
  '>=': comparison,
  '<': between,
  '<=': between,
  '%': two,
  '/': two,
  in: comparison,
  map: { ...two, loop: true },
  filter: { ...two, loop: true },
  all: { ...comparison, loop: true },
  none: { ...comparison, loop: true },
  some: { ...comparison, loop: true },
  reduce: { least: 3, most: 3, loop: true },
  '*': { least: 2, most: any },
  '!': negation,
  '!!': negation,
  or: oneOrMore,
  and: oneOrMore,
  '+': oneOrMore,
  '-': oneOrMore,
  max: oneOrMore,
  min: oneOrMore,
  merge: oneOrMore,
  cat: oneOrMore,
  substr: { least: 2, most: 3 },
  starts_with: comparison,
  ends_with: comparison,
  sem_ver: { least: 3, most: 3, returns: 'boolean' },
  fractional: oneOrMore,
  missing: { least: 0, most: any },
  missing_some: two,
  var: { least: 1, most: 2, single: true },
};

/** Returns the operation with a name; undefined for unknown names and for inherited properties such as `toString`. */
function operationNamed(name: string): Operation | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** The maximum nesting of lists and objects. The body parser allows 32, including the levels around a definition. */
const depthMax = 24;
/** The maximum sum of the weights of a `fractional` rule, which flagd adds up in 32 bits. */
const weightMax = 2_147_483_647;

/**
 * The current position in a rule. Nested loops are refused, and so are operations within `reduce` whose result could
 * grow with every element.
 */
interface Place {
  readonly path: Path;
  readonly depth: number;
  readonly inLoop: boolean;
  readonly inReduce: boolean;
}

/** Checks a whole `targeting`, which must be an empty object or one rule. Adds the problems to `problems`. */
export function checkTargeting(targeting: unknown, path: Path, problems: Problems): undefined {
  if (isObject(targeting) && Object.keys(targeting).length === 0) return;
  checkRule(targeting, { path, depth: 0, inLoop: false, inReduce: false }, problems);
}

function below(place: Place, ...steps: readonly (string | number)[]): Place {
  return { ...place, path: [...place.path, ...steps], depth: place.depth + steps.length };
}

function checkRule(rule: unknown, place: Place, problems: Problems): undefined {
  if (!isObject(rule))
    return problems.add(place.path, 'This must be a rule, such as {"==": [{"var": "plan"}, "pro"]}.');
  const [name, ...others] = Object.keys(rule);
  if (name === undefined) return problems.add(place.path, 'This must name an operation.');
  if (others.length > 0) return problems.add(place.path, 'This must have exactly one operation.');
  const inside = below(place, name);
  if (name === '$ref') {
    return problems.add(
      inside.path,
      'This must be replaced by the rule itself, because $ref and $evaluators are not supported.',
    );
  }
  const operation = operationNamed(name);
  if (operation === undefined) {
    return problems.add(
      inside.path,
      `This must be an operation that flagd knows: ${Object.keys(operations).join(', ')}.`,
    );
  }
  if (inside.depth > depthMax) return problems.add(inside.path, `This must be at most ${depthMax} levels deep.`);
  const list = rule[name];
  if (!Array.isArray(list) && operation.single === undefined) {
    return problems.add(inside.path, 'This must be a list of arguments.');
  }
  const args: readonly unknown[] = Array.isArray(list) ? list : [list];
  if (args.length < operation.least || args.length > operation.most) {
    return problems.add(inside.path, describeCount(operation));
  }
  const placeOf = (index: number) => (Array.isArray(list) ? below(inside, index) : inside);
  checkArguments(name, operation, { args, inside, placeOf }, problems);
}

function describeCount({ least, most }: Operation): string {
  if (least === most) return `This must have ${least} arguments.`;
  return most === Number.POSITIVE_INFINITY
    ? `This must have at least ${least} arguments.`
    : `This must have ${least} to ${most} arguments.`;
}

interface Arguments {
  readonly args: readonly unknown[];
  readonly inside: Place;
  readonly placeOf: (index: number) => Place;
}

function checkArguments(name: string, operation: Operation, given: Arguments, problems: Problems): undefined {
  const { args, inside, placeOf } = given;
  if (inside.inReduce && (name === 'cat' || name === 'merge')) {
    return problems.add(inside.path, 'This must not be used within reduce, where its result could grow without bound.');
  }
  if (operation.loop) return checkLoop(name, given, problems);
  const special = specialChecks[name];
  if (special !== undefined) return special(given, problems);
  for (const [index, value] of args.entries()) checkArgument(value, placeOf(index), problems);
}

function checkArgument(value: unknown, place: Place, problems: Problems): undefined {
  if (isObject(value)) return checkRule(value, place, problems);
  if (!Array.isArray(value)) return;
  if (place.depth > depthMax) return problems.add(place.path, `This must be at most ${depthMax} levels deep.`);
  if (place.inReduce && value.some((item) => typeof item === 'object' && item !== null)) {
    return problems.add(place.path, 'This must be a list of plain values within reduce.');
  }
  for (const [index, item] of value.entries()) checkArgument(item, below(place, index), problems);
}

function checkLoop(name: string, { args, inside, placeOf }: Arguments, problems: Problems): undefined {
  if (inside.inLoop) return problems.add(inside.path, 'This must not be nested in the repeated rule of another loop.');
  for (const [index, value] of args.entries()) {
    const place = placeOf(index);
    const isRepeated = index === 1;
    const repeated = { ...place, inLoop: true, inReduce: name === 'reduce' };
    checkArgument(value, isRepeated ? repeated : place, problems);
  }
}

const specialChecks: Readonly<Record<string, (given: Arguments, problems: Problems) => undefined>> = {
  var: checkVar,
  missing({ args, placeOf }, problems) {
    for (const [index, value] of args.entries()) checkText(value, placeOf(index), problems);
  },
  missing_some({ args, placeOf }, problems) {
    const [least, names] = args;
    if (typeof least !== 'number') problems.add(placeOf(0).path, 'This must be a number.');
    if (!Array.isArray(names)) return problems.add(placeOf(1).path, 'This must be a list of names.');
    for (const [index, value] of names.entries()) checkText(value, below(placeOf(1), index), problems);
  },
  starts_with: checkTexts,
  ends_with: checkTexts,
  sem_ver: checkSemVer,
  fractional: checkFractional,
};

function checkText(value: unknown, place: Place, problems: Problems): undefined {
  if (typeof value !== 'string') problems.add(place.path, 'This must be a string.');
}

function checkTexts({ args, placeOf }: Arguments, problems: Problems): undefined {
  for (const [index, value] of args.entries()) {
    if (isObject(value)) checkRule(value, placeOf(index), problems);
    else if (typeof value !== 'string') problems.add(placeOf(index).path, 'This must be a string or a rule.');
  }
}

function checkVar({ args, placeOf }: Arguments, problems: Problems): undefined {
  const [name, fallback] = args;
  if (isObject(name)) checkRule(name, placeOf(0), problems);
  else if (Array.isArray(name)) problems.add(placeOf(0).path, 'This must be the name of a value.');
  else if (typeof name === 'string' && name.startsWith('$flagd.') && !/^\$flagd\.(timestamp|flagKey)$/.test(name)) {
    problems.add(placeOf(0).path, 'This must be $flagd.timestamp or $flagd.flagKey, the only values that flagd adds.');
  }
  if (typeof fallback === 'object' && fallback !== null) problems.add(placeOf(1).path, 'This must be a plain value.');
}

const ranges = ['=', '!=', '>', '<', '>=', '<=', '~', '^'];
function checkSemVer({ args, placeOf }: Arguments, problems: Problems): undefined {
  for (const index of [0, 2]) {
    const value = args[index];
    if (isObject(value)) checkRule(value, placeOf(index), problems);
    else if (!isVersion(value)) {
      problems.add(placeOf(index).path, 'This must be a version such as "1.2.3", "v1.2" or "1", or {"var": …}.');
    }
  }
  if (!ranges.some((range) => range === args[1]))
    problems.add(placeOf(1).path, `This must be one of ${ranges.join(' ')}.`);
}

function checkFractional({ args, placeOf, inside }: Arguments, problems: Problems): undefined {
  const [seed] = args;
  if (isObject(seed)) checkRule(seed, placeOf(0), problems);
  const first = isObject(seed) || typeof seed === 'string' ? 1 : 0;
  if (args.length === first) return problems.add(inside.path, 'This must have at least one ["variant", weight].');
  let total = 0;
  for (let index = first; index < args.length; index += 1) total += checkBucket(args[index], placeOf(index), problems);
  if (total > weightMax) problems.add(inside.path, `This must have weights that add up to at most ${weightMax}.`);
}

/** Checks one bucket of `fractional` and returns its weight; 0 if the weight is computed or invalid. */
function checkBucket(bucket: unknown, place: Place, problems: Problems): number {
  if (!Array.isArray(bucket) || bucket.length < 1 || bucket.length > 2) {
    problems.add(place.path, 'This must be ["variant", weight].');
    return 0;
  }
  const [variant, weight] = bucket;
  if (Array.isArray(variant)) problems.add(below(place, 0).path, 'This must be the name of a variant.');
  else checkArgument(variant, below(place, 0), problems);
  if (bucket.length === 1) return 1;
  // flagd counts a negative weight as 0.
  if (typeof weight === 'number' && Number.isInteger(weight)) return Math.max(0, weight);
  if (isObject(weight)) checkRule(weight, below(place, 1), problems);
  else problems.add(below(place, 1).path, 'This must be a whole number, or a rule that returns one.');
  return 0;
}

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
