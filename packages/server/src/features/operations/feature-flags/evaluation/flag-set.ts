import { isObject, type JsonObject } from '../definition/problems.ts';
import { compileRule, type RuleContext } from './rule.ts';

/** The evaluation of one flag for one context: the JSON of the OFREP response, and whether it is a failure. */
export interface Evaluation {
  readonly json: string;
  readonly failed: boolean;
}

/** A flag whose rule is compiled and whose results are prepared. */
export type PreparedFlag = (context: RuleContext) => Evaluation;

/** All flags of one revision, in the order of keys. */
export interface FlagSet {
  readonly revision: string;
  readonly flags: ReadonlyMap<string, PreparedFlag>;
}

/** Parses the flags of a revision, compiles their rules and prepares their results. */
export function prepareFlags(
  revision: string,
  rows: readonly { readonly key: string; readonly definition_json: string }[],
): FlagSet {
  return {
    revision,
    flags: new Map(rows.map(({ key, definition_json }) => [key, prepareFlag(key, JSON.parse(definition_json))])),
  };
}

/** Prepares a flag. The definition must be one without `definitionProblems`. */
export function prepareFlag(key: string, definition: JsonObject): PreparedFlag {
  const { state, targeting } = definition;
  const results = prepareResults(key, definition);
  if (state === 'DISABLED') return () => results.disabled;
  if (!isObject(targeting) || Object.keys(targeting).length === 0) return () => results.static;
  const rule = compileRule(key, targeting);
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
  const success = (result: object) => ({ json: JSON.stringify({ key, ...result, ...common }), failed: false });
  const byDefault = (reason: string) =>
    typeof variant === 'string'
      ? success({ reason, variant, value: variants[variant] })
      : success({ reason: 'DEFAULT' });
  return {
    disabled: success({ reason: 'DISABLED' }),
    static: byDefault('STATIC'),
    default: byDefault('DEFAULT'),
    matches: new Map(
      Object.entries(variants).map(([name, value]) => [
        name,
        success({ reason: 'TARGETING_MATCH', variant: name, value }),
      ]),
    ),
    failure: (errorDetails) => ({
      json: JSON.stringify({ key, errorCode: 'GENERAL', errorDetails, ...common }),
      failed: true,
    }),
  };
}
