import { entityTag } from '../../../http/entity-tag.ts';
import { AppError } from '../../../lib/error.ts';
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts';
import type { Services } from '../../../services.ts';
import type { Context } from './evaluation/context.ts';
import { type Evaluation, evaluateAll, type FlagSet, prepareFlags } from './evaluation/flag-set.ts';
import { type BulkResponse, KnownEvaluations } from './evaluation/known-evaluations.ts';
import { hasReadTime, ruleContextOf } from './evaluation/rule.ts';
import { readAllFlags, readRevision } from './queries.ts';

/** Evaluates flags for a context, always with the current flags. */
export interface FlagEvaluator {
  /** Throws 404 `FEATURE_FLAG.NOT_FOUND`. */
  evaluate(key: string, context: Context): MaybePromise<Evaluation>;
  /** Evaluates every flag, in the order of keys. */
  evaluateAll(context: Context): MaybePromise<BulkResponse>;
}

/**
 * Creates an evaluator that caches the parsed flags of one revision. It reads the current revision on every evaluation,
 * so that a change applies to the next request on every node.
 */
export function createFlagEvaluator({ platform, clock }: Pick<Services, 'platform' | 'clock'>): FlagEvaluator {
  let kept: FlagSet | undefined;
  const known = new KnownEvaluations();
  const current = (): MaybePromise<FlagSet> =>
    andThen(readRevision(platform), (row) => {
      if (row === undefined) throw new Error('The platform database has no feature_flag_set.');
      return kept?.revision === row.revision ? kept : load(row.revision);
    });
  const load = async (revision: string): Promise<FlagSet> => {
    // The flags are read after the revision. If they are newer, the next evaluation sees another revision and reads
    // them again, so that outdated flags are never cached.
    kept = prepareFlags(revision, await readAllFlags(platform));
    return kept;
  };
  const ruleContext = ({ fields }: Context) => ruleContextOf(fields, Math.floor(clock.nowMs() / 1000));
  const respond = (flagSet: FlagSet, context: Context): BulkResponse => {
    const kept = known.find(flagSet.revision, context.text);
    if (kept !== undefined) return kept;
    const values = ruleContext(context);
    const { json, mark } = evaluateAll(flagSet, values);
    const response = { json, tag: entityTag(context.text, mark) };
    if (!hasReadTime(values)) known.keep(flagSet.revision, context.text, response);
    return response;
  };
  return {
    evaluate: (key, context) =>
      andThen(current(), ({ flags }) => {
        const flag = flags.get(key);
        if (flag !== undefined) return flag(ruleContext(context));
        throw new AppError('FEATURE_FLAG.NOT_FOUND', 'There is no feature flag with this key. Check the key.');
      }),
    evaluateAll: (context) => andThen(current(), (flagSet) => respond(flagSet, context)),
  };
}
