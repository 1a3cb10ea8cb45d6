import { LogicEngine } from 'json-logic-engine';
import type { JsonObject } from '../definition/problems.ts';
import { bucketOf } from './fractional.ts';
import { readVersion } from './versions.ts';

const ofRequest = Symbol('the context of a request, not an element of a list');

/** What the rules of one request can read: the request's context and the values that flagd adds. */
export interface RuleContext extends JsonObject {
  readonly $flagd: { flagKey: string; readonly timestamp: number };
  readonly [ofRequest]: true;
}

/** Returns the context of all rules of one request. `now` is in seconds since 1970. */
export function ruleContextOf(context: JsonObject, now: number): RuleContext {
  return { ...context, $flagd: { flagKey: '', timestamp: now }, [ofRequest]: true };
}

/** Evaluates a rule. Throws what JsonLogic throws, such as `NaN` for the sum of a text and a number. */
export type Rule = (context: RuleContext) => unknown;

/**
 * Prepares the targeting rule of a flag, once per definition. The engine turns the rule into nested functions at the
 * first evaluation; it never generates code from it, because rules come from a database. It is the engine of flagd-core
 * in the same version, with flagd's operators: a property test compares the results with those of flagd-core, which
 * copies the context for each flag and parses versions and buckets each time (docs/decisions/0005-hot-path.md).
 */
export function compileRule(flagKey: string, targeting: JsonObject): Rule {
  const engine = new LogicEngine();
  engine.addMethod('starts_with', outsideLoops(startsWith));
  engine.addMethod('ends_with', outsideLoops(endsWith));
  engine.addMethod('sem_ver', outsideLoops(compareVersions));
  engine.addMethod(
    'fractional',
    outsideLoops((args, context) => fractional(flagKey, args, context)),
  );
  return (context) => {
    // One object serves all flags, because evaluations run one after the other.
    context.$flagd.flagKey = flagKey;
    return engine.run(targeting, context);
  };
}

type Operator = (args: readonly unknown[], context: JsonObject) => unknown;

/** flagd's own operators fail in the repeated rule of a loop, where the context is an element of the list. */
function outsideLoops(operator: Operator): (args: unknown, context: unknown) => unknown {
  return (args, context) => {
    if (typeof context !== 'object' || context === null || !(ofRequest in context)) {
      throw new Error("flagd's own operators cannot be used within a loop.");
    }
    return Array.isArray(args) ? operator(args, context as RuleContext) : null;
  };
}

const startsWith: Operator = (args) => {
  const [text, start] = args;
  return args.length === 2 && typeof text === 'string' && typeof start === 'string' ? text.startsWith(start) : null;
};

const endsWith: Operator = (args) => {
  const [text, end] = args;
  return args.length === 2 && typeof text === 'string' && typeof end === 'string' ? text.endsWith(end) : null;
};

const compareVersions: Operator = (args) => {
  if (args.length !== 3) return null;
  const [left, right] = [readVersion(args[0]), readVersion(args[2])];
  if (left === null || right === null) return null;
  switch (String(args[1])) {
    case '=':
      return left.compare(right) === 0;
    case '!=':
      return left.compare(right) !== 0;
    case '<':
      return left.compare(right) < 0;
    case '<=':
      return left.compare(right) <= 0;
    case '>=':
      return left.compare(right) >= 0;
    case '>':
      return left.compare(right) > 0;
    case '^':
      return left.major === right.major;
    case '~':
      return left.major === right.major && left.minor === right.minor;
    default:
      return null;
  }
};

/** A text as the first argument replaces the text that is hashed by default, the key of the flag and `targetingKey`. */
function fractional(flagKey: string, args: readonly unknown[], context: JsonObject): unknown {
  const [seed] = args;
  if (typeof seed === 'string') return bucketOf(seed, args, 1);
  const { targetingKey } = context;
  return args.length === 0 || !targetingKey ? null : bucketOf(`${flagKey}${targetingKey}`, args, 0);
}
