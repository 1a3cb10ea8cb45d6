import type { FeatureFlag } from '@openfeature/flagd-core';
import type { JsonObject } from '../definition/problems.ts';
import { type Resolution, resolveFlag, toFlag } from './flagd.ts';

/** The evaluation of one flag for one context: the JSON of the OFREP response, and whether it is a failure. */
export interface Evaluation {
  readonly json: string;
  readonly failed: boolean;
}

/** A flag whose JSON is prepared in advance where it does not depend on the context. */
export interface PreparedFlag {
  evaluate(context: JsonObject): Evaluation;
}

/** All flags of one revision. */
export interface FlagSet {
  readonly revision: string;
  readonly flags: ReadonlyMap<string, PreparedFlag>;
}

/** Parses the flags of a revision and prepares the results that are the same for every context. */
export function prepareFlags(
  revision: string,
  rows: readonly { readonly key: string; readonly definition_json: string }[],
): FlagSet {
  return {
    revision,
    flags: new Map(rows.map(({ key, definition_json }) => [key, prepareFlag(key, JSON.parse(definition_json))])),
  };
}

function prepareFlag(key: string, definition: JsonObject): PreparedFlag {
  const flag = toFlag(key, definition);
  if (flag.state === 'DISABLED') return constant(succeeded(flag, { reason: 'DISABLED' }));
  const { targeting } = definition;
  const isStatic = targeting === undefined || Object.keys(targeting as object).length === 0;
  if (isStatic) return constant(toEvaluation(flag, resolveFlag(flag, {})));
  // The reason and the variant determine the result, and there are few combinations, so results are cached. Failures
  // are not cached, because their text varies.
  const byDefault = new Map<string | undefined, Evaluation>();
  const byRule = new Map<string | undefined, Evaluation>();
  return {
    evaluate(context) {
      const resolution = resolveFlag(flag, context);
      if (resolution.errorCode !== undefined) return toEvaluation(flag, resolution);
      const known = resolution.reason === 'DEFAULT' ? byDefault : byRule;
      const evaluation = known.get(resolution.variant) ?? toEvaluation(flag, resolution);
      known.set(resolution.variant, evaluation);
      return evaluation;
    },
  };
}

function constant(evaluation: Evaluation): PreparedFlag {
  return { evaluate: () => evaluation };
}

/** Converts a resolution to OFREP. A result without a value makes the client use the default in its code. */
function toEvaluation(flag: FeatureFlag, resolution: Resolution): Evaluation {
  const { errorCode, errorMessage } = resolution as { errorCode?: string; errorMessage?: string };
  if (errorCode === undefined) {
    const { reason, variant, value } = resolution;
    return succeeded(flag, { reason: String(reason), variant, value });
  }
  const failure = { key: flag.key, errorCode, errorDetails: errorMessage, ...metadataOf(flag) };
  return { json: JSON.stringify(failure), failed: true };
}

function succeeded(
  flag: FeatureFlag,
  result: { readonly reason: string; readonly variant?: string | undefined; readonly value?: unknown },
): Evaluation {
  return { json: JSON.stringify({ key: flag.key, ...result, ...metadataOf(flag) }), failed: false };
}

function metadataOf({ metadata }: FeatureFlag): object {
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}
