import { LogicEngine } from 'json-logic-engine';
import type { JsonObject } from '../definition/problems.ts';
import { flagdOperators, type Operator } from './flagd-operators.ts';
import { noSharedConditions, type SharedConditions } from './shared-conditions.ts';
import { compileUsualRule, sharedResults } from './usual-rule.ts';

const ofRequest = Symbol('the context of a request, not an element of a list');
const timeWasRead = Symbol('a rule has read the time');

/** What the rules of one request can read: the request's context and the values that flagd adds. */
export interface RuleContext extends JsonObject {
  readonly $flagd: { flagKey: string; readonly timestamp: number; [timeWasRead]: boolean };
  readonly [ofRequest]: true;
  readonly [sharedResults]: unknown[];
}

/** Returns the context of all rules of one request. `now` is in seconds since 1970. */
export function ruleContextOf(context: JsonObject, now: number): RuleContext {
  const $flagd: RuleContext['$flagd'] = {
    flagKey: '',
    get timestamp() {
      $flagd[timeWasRead] = true;
      return now;
    },
    [timeWasRead]: false,
  };
  return { ...context, $flagd, [ofRequest]: true, [sharedResults]: [] };
}

/** Returns true if a rule has read the time, so that its result can differ a second later. */
export function hasReadTime({ $flagd }: RuleContext): boolean {
  return $flagd[timeWasRead];
}

/** Evaluates a rule. Throws what JsonLogic throws, such as `NaN` for the sum of a text and a number. */
export type Rule = (context: RuleContext) => unknown;

/**
 * Prepares the targeting rule of a flag, once per definition. Rules come from a database, so no code is generated from
 * them: the usual operations become nested functions, and JsonLogic's engine runs every other rule. It is the engine
 * that flagd-core uses, in the same version. A property test compares the results with those of flagd-core, which copies
 * the context for each flag and parses versions and buckets each time (docs/decisions/0005-hot-path.md). `shared` has
 * the conditions that other rules of the same requests have too.
 */
export function compileRule(
  flagKey: string,
  targeting: JsonObject,
  shared: SharedConditions = noSharedConditions,
): Rule {
  const operators = flagdOperators(flagKey);
  const rule = compileUsualRule(targeting, operators, shared) ?? interpretRule(targeting, operators);
  return (context) => {
    // One object serves all flags, because evaluations run one after the other.
    context.$flagd.flagKey = flagKey;
    return rule(context);
  };
}

function interpretRule(targeting: JsonObject, operators: ReadonlyMap<string, Operator>): Rule {
  const engine = new LogicEngine();
  for (const [name, operator] of operators) engine.addMethod(name, outsideLoops(operator));
  return (context) => engine.run(targeting, context);
}

/** flagd's own operators fail in the repeated rule of a loop, where the context is an element of the list. */
function outsideLoops(operator: Operator): (args: unknown, context: unknown) => unknown {
  return (args, context) => {
    if (typeof context !== 'object' || context === null || !(ofRequest in context)) {
      throw new Error("flagd's own operators cannot be used within a loop.");
    }
    return Array.isArray(args) ? operator(args, context as RuleContext) : null;
  };
}
