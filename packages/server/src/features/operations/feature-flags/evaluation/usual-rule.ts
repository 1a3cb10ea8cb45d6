import { LogicEngine } from 'json-logic-engine';
import { isObject, type JsonObject } from '../definition/problems.ts';
import type { Operator } from './flagd-operators.ts';
import { conditionText, type SharedConditions } from './shared-conditions.ts';

/** The results of shared conditions in the context of a request, by slot. */
export const sharedResults = Symbol('the results of shared conditions');

/** The context of a request. */
type UsualContext = JsonObject & { readonly [sharedResults]: unknown[] };

/** A part of a rule as a function of the context. */
interface Part {
  readonly run: (context: UsualContext) => unknown;
  /** Whether the result can depend on the context. */
  readonly dynamic: boolean;
}

/** Compiles the arguments of one operation; undefined if they are not the usual ones. */
type Compile = (args: readonly Part[]) => Part['run'] | undefined;

/** The engine optimises rules of up to 500 parts and evaluates larger ones in another way. */
const partsMax = 200;

const { truthy } = new LogicEngine();

function isTrue(value: unknown): boolean {
  return typeof value === 'object' ? Boolean(truthy(value)) : Boolean(value);
}

/**
 * Compiles a rule of the usual operations to nested functions, with the results of JsonLogic's engine. Returns
 * undefined for every other rule, which the engine must run: for other operations and numbers of arguments, and for an
 * operation on constants, which the engine evaluates in advance, even in a branch that is never taken. A request
 * evaluates each of the `shared` conditions once.
 */
export function compileUsualRule(
  rule: JsonObject,
  operators: ReadonlyMap<string, Operator>,
  shared: SharedConditions,
): Part['run'] | undefined {
  let parts = 0;

  function compile(value: unknown): Part | undefined {
    parts += 1;
    if (parts > partsMax) return undefined;
    if (isObject(value)) return compileOperation(value);
    return Array.isArray(value) && !isPlainList(value) ? undefined : { run: () => value, dynamic: false };
  }

  function compileOperation(operation: JsonObject): Part | undefined {
    const [name = '', ...others] = Object.keys(operation);
    if (others.length > 0) return undefined;
    const given = operation[name];
    if (name === 'var') return asDynamic(compileVariable(given));
    const args = (Array.isArray(given) ? given : [given]).map(compile);
    if (!args.every((arg) => arg !== undefined)) return undefined;
    const isList = Array.isArray(given) || name === '!' || name === '!!';
    if (!isList) return undefined;
    return asDynamic(once(shared.get(conditionText(operation)), combine(name, args)));
  }

  function combine(name: string, args: readonly Part[]): Part['run'] | undefined {
    const operator = operators.get(name);
    if (operator !== undefined) return callOf(operator, args);
    if (!args.some((arg) => arg.dynamic) || !Object.hasOwn(operations, name)) return undefined;
    return operations[name]?.(args);
  }

  return compile(rule)?.run;
}

/** Keeps the result for the rest of the request. A failure is repeated. */
function once(slot: number | undefined, run: Part['run'] | undefined): Part['run'] | undefined {
  if (slot === undefined || run === undefined) return run;
  return (context) => {
    const results = context[sharedResults];
    let result = results[slot];
    if (result === undefined) {
      result = run(context);
      results[slot] = result;
    }
    return result;
  };
}

function asDynamic(run: Part['run'] | undefined): Part | undefined {
  return run && { run, dynamic: true };
}

/** Returns true for a list of plain values and of lists of plain values, such as the buckets of `fractional`. */
function isPlainList(list: readonly unknown[]): boolean {
  return list.every((item) => !isObject(item) && (!Array.isArray(item) || isPlainList(item)));
}

const oneName = /^[^./\\]+$/;
const path = /^[^./\\]+(\.[^./\\]+){1,2}$/;

/** The default may be missing. A list with one name is the same as the name. */
function compileVariable(given: unknown): Part['run'] | undefined {
  const [name, fallback, ...others] = Array.isArray(given) ? given : [given];
  if (typeof name !== 'string' || others.length > 0 || typeof fallback === 'object') return undefined;
  const names = name.split('.');
  if (fallback !== undefined) return oneName.test(name) || path.test(name) ? walk(names, fallback) : undefined;
  if (oneName.test(name)) return (context) => readable(context[name]);
  if (!path.test(name)) return undefined;
  const [first = '', second = '', third] = names;
  // Like the engine, this returns a falsy value in the middle of the path, such as 0, instead of null.
  if (third === undefined) return (context) => readable(below(context[first], second));
  return (context) => readable(below(below(context[first], second), third));
}

function below(value: unknown, name: string): unknown {
  return value && (value as JsonObject)[name];
}

/** Inherited functions, such as that of `toString`, are not values. */
function readable(value: unknown): unknown {
  return value === undefined || typeof value === 'function' ? null : value;
}

function walk(names: readonly string[], fallback: unknown): Part['run'] {
  return (context) => {
    let value: unknown = context;
    for (const name of names) {
      if (value === null) return fallback;
      value = (value as JsonObject)[name];
      if (value === undefined) return fallback;
    }
    return typeof value === 'function' ? null : value;
  };
}

function callOf(operator: Operator, args: readonly Part[]): Part['run'] {
  if (args.every((arg) => !arg.dynamic)) {
    const values = args.map((arg) => arg.run({ [sharedResults]: [] }));
    return (context) => operator(values, context);
  }
  return (context) =>
    operator(
      args.map((arg) => arg.run(context)),
      context,
    );
}

/** Compares as the engine does: texts and null as they are, and everything else as numbers. */
function comparison(compare: (left: never, right: never) => boolean): Compile {
  return withTwo((left, right) => {
    if (isTextOrNull(left) && isTextOrNull(right)) return compare(left as never, right as never);
    const [leftNumber, rightNumber] = [toNumber(left), toNumber(right)];
    if (Number.isNaN(leftNumber) || (Number.isNaN(rightNumber) && left !== null)) throw notANumber();
    return compare(leftNumber as never, rightNumber as never);
  });
}

function isTextOrNull(value: unknown): boolean {
  return typeof value === 'string' || value === null;
}

function toNumber(value: unknown): number {
  if (typeof value === 'object' && value !== null) throw notANumber();
  return Number(value);
}

function notANumber(): TypeError {
  return new TypeError('A comparison requires numbers, or two texts.');
}

function withTwo(operate: (left: unknown, right: unknown) => unknown): Compile {
  return ([left, right, ...others]) => {
    if (left === undefined || right === undefined || others.length > 0) return undefined;
    return (context) => operate(left.run(context), right.run(context));
  };
}

function includes(item: unknown, list: unknown): boolean {
  if (!list) return false;
  if (typeof list === 'string') return list.includes(String(item));
  if (Array.isArray(list)) return list.includes(item);
  throw new TypeError('in requires a list or a text.');
}

/** Returns the first argument whose truth is `stop`, or the last one. */
function untilOneIs(stop: boolean): Compile {
  return (args) => (context) => {
    let value: unknown;
    for (const arg of args) {
      value = arg.run(context);
      if (isTrue(value) === stop) return value;
    }
    return value;
  };
}

/** A single argument that is a list is itself the list of arguments, which is not usual. */
function negation(result: boolean): Compile {
  return ([arg, ...others]) => {
    if (arg === undefined || others.length > 0) return undefined;
    return (context) => {
      const value = arg.run(context);
      return isTrue(Array.isArray(value) ? value[0] : value) === result;
    };
  };
}

/** Pairs of a condition and a result, then an optional default. */
const choice: Compile = (args) => {
  if (args.length < 2) return undefined;
  return (context) => {
    let index = 0;
    for (; index + 1 < args.length; index += 2) {
      if (isTrue(args[index]?.run(context))) return args[index + 1]?.run(context);
    }
    return args[index]?.run(context) ?? null;
  };
};

const joined: Compile = (args) => {
  if (args.length < 2) return undefined;
  return (context) => {
    let text = '';
    for (const arg of args) {
      const value = arg.run(context);
      if (value !== null && value !== undefined) text += String(value);
    }
    return text;
  };
};

const operations: Readonly<Record<string, Compile>> = {
  if: choice,
  and: untilOneIs(false),
  or: untilOneIs(true),
  '!': negation(false),
  '!!': negation(true),
  in: withTwo(includes),
  cat: joined,
  '===': withTwo((left, right) => left === right),
  '!==': withTwo((left, right) => left !== right),
  // JsonLogic's `==` is that of JavaScript, between texts and null or between numbers.
  '==': comparison((left, right) => left === right),
  '!=': comparison((left, right) => left !== right),
  '<': comparison((left, right) => left < right),
  '<=': comparison((left, right) => left <= right),
  '>': comparison((left, right) => left > right),
  '>=': comparison((left, right) => left >= right),
};
