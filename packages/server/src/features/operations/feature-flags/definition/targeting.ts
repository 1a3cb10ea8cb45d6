import { isVersion } from '../evaluation/versions.ts';
import { type Operation, operationNamed, operations } from './operators.ts';
import { isObject, type Path, type Problems } from './problems.ts';

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
  if (!isObject(rule)) return problems.add(place.path, 'must be a rule, such as {"==": [{"var": "plan"}, "pro"]}');
  const [name, ...others] = Object.keys(rule);
  if (name === undefined) return problems.add(place.path, 'must name an operation');
  if (others.length > 0) return problems.add(place.path, 'must have exactly one operation');
  const inside = below(place, name);
  if (name === '$ref') {
    return problems.add(
      inside.path,
      'must be replaced by the rule itself, because $ref and $evaluators are not supported',
    );
  }
  const operation = operationNamed(name);
  if (operation === undefined) {
    return problems.add(inside.path, `must be an operation that flagd knows: ${Object.keys(operations).join(', ')}`);
  }
  if (inside.depth > depthMax) return problems.add(inside.path, `must be at most ${depthMax} levels deep`);
  const list = rule[name];
  if (!Array.isArray(list) && operation.single === undefined) {
    return problems.add(inside.path, 'must be a list of arguments');
  }
  const args: readonly unknown[] = Array.isArray(list) ? list : [list];
  if (args.length < operation.least || args.length > operation.most) {
    return problems.add(inside.path, describeCount(operation));
  }
  const placeOf = (index: number) => (Array.isArray(list) ? below(inside, index) : inside);
  checkArguments(name, operation, { args, inside, placeOf }, problems);
}

function describeCount({ least, most }: Operation): string {
  if (least === most) return `must have ${least} arguments`;
  return most === Number.POSITIVE_INFINITY
    ? `must have at least ${least} arguments`
    : `must have ${least} to ${most} arguments`;
}

interface Arguments {
  readonly args: readonly unknown[];
  readonly inside: Place;
  readonly placeOf: (index: number) => Place;
}

function checkArguments(name: string, operation: Operation, given: Arguments, problems: Problems): undefined {
  const { args, inside, placeOf } = given;
  if (inside.inReduce && (name === 'cat' || name === 'merge')) {
    return problems.add(inside.path, 'must not be used within reduce, where its result could grow without bound');
  }
  if (operation.loop) return checkLoop(name, given, problems);
  const special = specialChecks[name];
  if (special !== undefined) return special(given, problems);
  for (const [index, value] of args.entries()) checkArgument(value, placeOf(index), problems);
}

function checkArgument(value: unknown, place: Place, problems: Problems): undefined {
  if (isObject(value)) return checkRule(value, place, problems);
  if (!Array.isArray(value)) return;
  if (place.depth > depthMax) return problems.add(place.path, `must be at most ${depthMax} levels deep`);
  if (place.inReduce && value.some((item) => typeof item === 'object' && item !== null)) {
    return problems.add(place.path, 'must be a list of plain values within reduce');
  }
  for (const [index, item] of value.entries()) checkArgument(item, below(place, index), problems);
}

function checkLoop(name: string, { args, inside, placeOf }: Arguments, problems: Problems): undefined {
  if (inside.inLoop) return problems.add(inside.path, 'must not be nested in the repeated rule of another loop');
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
    if (typeof least !== 'number') problems.add(placeOf(0).path, 'must be a number');
    if (!Array.isArray(names)) return problems.add(placeOf(1).path, 'must be a list of names');
    for (const [index, value] of names.entries()) checkText(value, below(placeOf(1), index), problems);
  },
  starts_with: checkTexts,
  ends_with: checkTexts,
  sem_ver: checkSemVer,
  fractional: checkFractional,
};

function checkText(value: unknown, place: Place, problems: Problems): undefined {
  if (typeof value !== 'string') problems.add(place.path, 'must be a string');
}

function checkTexts({ args, placeOf }: Arguments, problems: Problems): undefined {
  for (const [index, value] of args.entries()) {
    if (isObject(value)) checkRule(value, placeOf(index), problems);
    else if (typeof value !== 'string') problems.add(placeOf(index).path, 'must be a string or a rule');
  }
}

function checkVar({ args, placeOf }: Arguments, problems: Problems): undefined {
  const [name, fallback] = args;
  if (isObject(name)) checkRule(name, placeOf(0), problems);
  else if (Array.isArray(name)) problems.add(placeOf(0).path, 'must be the name of a value');
  else if (typeof name === 'string' && name.startsWith('$flagd.') && !/^\$flagd\.(timestamp|flagKey)$/.test(name)) {
    problems.add(placeOf(0).path, 'must be $flagd.timestamp or $flagd.flagKey, the only values that flagd adds');
  }
  if (typeof fallback === 'object' && fallback !== null) problems.add(placeOf(1).path, 'must be a plain value');
}

const ranges = ['=', '!=', '>', '<', '>=', '<=', '~', '^'];
function checkSemVer({ args, placeOf }: Arguments, problems: Problems): undefined {
  for (const index of [0, 2]) {
    const value = args[index];
    if (isObject(value)) checkRule(value, placeOf(index), problems);
    else if (!isVersion(value)) {
      problems.add(placeOf(index).path, 'must be a version such as "1.2.3", "v1.2" or "1", or {"var": …}');
    }
  }
  if (!ranges.some((range) => range === args[1])) problems.add(placeOf(1).path, `must be one of ${ranges.join(' ')}`);
}

function checkFractional({ args, placeOf, inside }: Arguments, problems: Problems): undefined {
  const [seed] = args;
  if (isObject(seed)) checkRule(seed, placeOf(0), problems);
  const first = isObject(seed) || typeof seed === 'string' ? 1 : 0;
  if (args.length === first) return problems.add(inside.path, 'must have at least one ["variant", weight]');
  let total = 0;
  for (let index = first; index < args.length; index += 1) total += checkBucket(args[index], placeOf(index), problems);
  if (total > weightMax) problems.add(inside.path, `must have weights that add up to at most ${weightMax}`);
}

/** Checks one bucket of `fractional` and returns its weight; 0 if the weight is computed or invalid. */
function checkBucket(bucket: unknown, place: Place, problems: Problems): number {
  if (!Array.isArray(bucket) || bucket.length < 1 || bucket.length > 2) {
    problems.add(place.path, 'must be ["variant", weight]');
    return 0;
  }
  const [variant, weight] = bucket;
  if (Array.isArray(variant)) problems.add(below(place, 0).path, 'must be the name of a variant');
  else checkArgument(variant, below(place, 0), problems);
  if (bucket.length === 1) return 1;
  // flagd counts a negative weight as 0.
  if (typeof weight === 'number' && Number.isInteger(weight)) return Math.max(0, weight);
  if (isObject(weight)) checkRule(weight, below(place, 1), problems);
  else problems.add(below(place, 1).path, 'must be a whole number, or a rule that returns one');
  return 0;
}
