import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../definition/problems.ts';
import { compileRule, type RuleContext } from './rule.ts';
import { findSharedConditions, noSharedConditions, type SharedConditions } from './shared-conditions.ts';

/** The evaluation of one flag for one context. */
export interface Evaluation {
  /** The JSON of the OFREP response. */
  readonly json: string;
  /** The index of the result among the flag's results, 0 to 254; `failureMark` for a failure, whose text varies. */
  readonly mark: number;
}

/** The mark of an evaluation that failed. */
export const failureMark = 255;

/** The evaluation of all flags for one context. */
export interface BulkEvaluation {
  /** The JSON of the OFREP response. */
  readonly json: string;
  /** A short text that is different for every other response. */
  readonly mark: string;
}

/** A flag whose rule is compiled and whose results are prepared. */
export type PreparedFlag = (context: RuleContext) => Evaluation;

/** All flags of one revision, in the order of keys. */
export interface FlagSet {
  readonly revision: string;
  readonly flags: ReadonlyMap<string, PreparedFlag>;
  /** The hash of all definitions. */
  readonly digest: string;
}

/** Parses the flags of a revision, compiles their rules and prepares their results. */
export function prepareFlags(
  revision: string,
  rows: readonly { readonly key: string; readonly definition_json: string }[],
): FlagSet {
  const definitions = rows.map(({ key, definition_json }): [string, JsonObject] => [key, JSON.parse(definition_json)]);
  const shared = findSharedConditions(definitions.map(([, { targeting }]) => targeting));
  return {
    revision,
    flags: new Map(definitions.map(([key, definition]) => [key, prepareFlag(key, definition, shared)])),
    digest: hash('sha256', JSON.stringify(rows.map(({ key, definition_json }) => [key, definition_json])), 'base64url'),
  };
}

/** Evaluates every flag, in the order of keys. */
export function evaluateAll({ flags, digest }: FlagSet, context: RuleContext): BulkEvaluation {
  const marks = Buffer.allocUnsafe(flags.size);
  let [index, list, failures] = [0, '', ''];
  for (const flag of flags.values()) {
    const { json, mark } = flag(context);
    list += index === 0 ? json : `,${json}`;
    if (mark === failureMark) failures += json;
    marks[index] = mark;
    index += 1;
  }
  return { json: `{"flags":[${list}]}`, mark: digest + marks.toString('latin1') + failures };
}

/** Prepares a flag. The definition must be one without `definitionProblems`. */
export function prepareFlag(
  key: string,
  definition: JsonObject,
  shared: SharedConditions = noSharedConditions,
): PreparedFlag {
  const { state, targeting } = definition;
  const results = prepareResults(key, definition);
  if (state === 'DISABLED') return () => results.disabled;
  if (!isObject(targeting) || Object.keys(targeting).length === 0) return () => results.static;
  const rule = compileRule(key, targeting, shared);
  return (context) => {
    let variant: string;
    try {
      const result = rule(context);
      if (result === null || result === undefined) return results.default;
      variant = String(result);
    } catch {
      return results.failure(`Error evaluating targeting rule for flag '${key}'`);
    }
    return results.matches.get(variant) ?? results.failure(`Variant '${variant}' not found in flag with key '${key}'`);
  };
}

interface Results {
  readonly disabled: Evaluation;
  readonly static: Evaluation;
  readonly default: Evaluation;
  /** By variant. */
  readonly matches: ReadonlyMap<string, Evaluation>;
  failure(errorDetails: string): Evaluation;
}

/** Prepares every result of a flag. A result without a value makes the client use the default in its code. */
function prepareResults(key: string, definition: JsonObject): Results {
  const { metadata } = definition;
  const variants = isObject(definition['variants']) ? definition['variants'] : {};
  // In flagd, null and an empty text mean the default in the code, too.
  const variant = definition['defaultVariant'] || undefined;
  const common = isObject(metadata) && Object.keys(metadata).length > 0 ? { metadata } : {};
  const evaluation = (result: object, mark: number) => {
    return { json: JSON.stringify({ key, ...result, ...common }), mark };
  };
  const byDefault = (reason: string) =>
    evaluation(typeof variant === 'string' ? { reason, variant, value: variants[variant] } : { reason: 'DEFAULT' }, 0);
  // A definition has at most 100 variants.
  const matches = Object.entries(variants).map(([name, value], index): [string, Evaluation] => {
    return [name, evaluation({ reason: 'TARGETING_MATCH', variant: name, value }, 1 + index)];
  });
  return {
    disabled: evaluation({ reason: 'DISABLED' }, 0),
    static: byDefault('STATIC'),
    default: byDefault('DEFAULT'),
    matches: new Map(matches),
    failure: (errorDetails) => evaluation({ errorCode: 'GENERAL', errorDetails }, failureMark),
  };
}
