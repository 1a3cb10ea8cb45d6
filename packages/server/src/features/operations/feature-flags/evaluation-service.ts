import { AppError } from '../../../lib/error.ts';
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts';
import type { Services } from '../../../services.ts';
import type { JsonObject } from './definition/problems.ts';
import { type Evaluation, type FlagSet, prepareFlags } from './evaluation/flag-set.ts';
import { readAllFlags, readRevision } from './queries.ts';

/** Answers what flags are for a context, always by the flags of this very moment. */
export interface FlagEvaluator {
  /** Throws 404 `FEATURE_FLAG.NOT_FOUND`. */
  evaluate(key: string, context: JsonObject): MaybePromise<Evaluation>;
  /** Every flag by key: the JSON of each. */
  evaluateAll(context: JsonObject): MaybePromise<string[]>;
}

/**
 * Flags are parsed once and kept while their revision stands, which is read for every request: a change is felt by the
 * next one on every node.
 */
export function createFlagEvaluator({ platform }: Pick<Services, 'platform'>): FlagEvaluator {
  let kept: FlagSet | undefined;
  const current = (): MaybePromise<FlagSet> =>
    andThen(readRevision(platform), (row) => {
      if (row === undefined) throw new Error('The platform database has no feature_flag_set.');
      return kept?.revision === row.revision ? kept : load(row.revision);
    });
  const load = async (revision: string): Promise<FlagSet> => {
    // Read after the revision: flags that are newer than it are read again with the next one, never kept too long.
    kept = prepareFlags(revision, await readAllFlags(platform));
    return kept;
  };
  return {
    evaluate: (key, context) =>
      andThen(current(), ({ flags }) => {
        const flag = flags.get(key);
        if (flag !== undefined) return flag.evaluate(context);
        throw new AppError('FEATURE_FLAG.NOT_FOUND', 'There is no feature flag of this key.');
      }),
    evaluateAll: (context) =>
      andThen(current(), ({ flags }) => Array.from(flags.values(), (flag) => flag.evaluate(context).json)),
  };
}
