import type { FeatureFlag } from '@openfeature/flagd-core';
import { entityTag } from '../../../http/headers.ts';
import { AppError } from '../../../lib/error.ts';
import { isObject, type JsonObject } from '../../../lib/json-object.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { PlatformServices } from '../../../services.ts';
import type { TenantRecord } from '../../../tenancy/tenant-record.ts';
import { readTenant } from '../../accounts/tenants/service.ts';
import { readAllFlags, readRevision } from './queries.ts';
import type { FeatureFlagTrial, TryFeatureFlag } from './schemas.ts';
import { assertEvaluable } from './service.ts';

/** The maximum size of a context in bytes. Rules may loop over every element of its lists. */
const contextSizeMax = 16 * 1024;
/** The maximum number of fields of a context. flagd copies them for each flag, and objects of 1,000 fields are slow. */
const contextFieldsMax = 500;

/** The context of an evaluation, and a text that is different for every other context. */
interface Context {
  readonly fields: JsonObject;
  readonly text: string;
}

/** The evaluation of one flag, as OFREP presents it. */
export type Evaluation = { readonly key: string; readonly metadata?: object } & (
  | { readonly reason: string; readonly variant?: string | undefined; readonly value?: unknown }
  | { readonly errorCode: 'GENERAL'; readonly errorDetails: string }
);

/** The evaluation of all flags. */
interface BulkEvaluation {
  /** The JSON of the OFREP response. */
  readonly json: string;
  /** The entity tag of the response. */
  readonly tag: string;
}

/** Evaluates flags for a context, always with the current flags. */
export interface FlagEvaluator {
  /** Throws 404 `FEATURE_FLAG.NOT_FOUND`. */
  evaluate(key: string, context: Context): Promise<Evaluation>;
  /** Evaluates every flag, in the order of keys. */
  evaluateAll(context: Context): Promise<BulkEvaluation>;
}

/** A flag of flagd with the definition from which it was parsed. */
interface ParsedFlag {
  readonly definition_json: string;
  readonly flag: FeatureFlag;
}

/**
 * Returns the context of an OFREP request. The caller's identity overwrites the fields of the request: `targetingKey`
 * and `tenant_id` are the tenant's id, and `plan` is the code of its plan. Throws 400 `FEATURE_FLAG.CONTEXT_INVALID`.
 */
export function contextOf(body: unknown, { id, plan_code }: Pick<TenantRecord, 'id' | 'plan_code'>): Context {
  const context = isObject(body) ? body['context'] : undefined;
  if (!isObject(context)) throw invalidContext('Send {"context": {…}}, with an object that may be empty.');
  const json = JSON.stringify(context);
  if (Buffer.byteLength(json) > contextSizeMax) throw invalidContext('Send a context of at most 16 KiB.');
  if (Object.keys(context).length > contextFieldsMax) {
    throw invalidContext(`Send a context of at most ${contextFieldsMax} fields.`);
  }
  return {
    fields: { ...context, targetingKey: id, tenant_id: id, plan: plan_code },
    text: `${id} ${plan_code} ${json}`,
  };
}

function invalidContext(message: string): AppError {
  return new AppError('FEATURE_FLAG.CONTEXT_INVALID', message);
}

/** Evaluates a flag. A result without a value makes the client use the default in its code. */
function evaluateFlag(flag: FeatureFlag, context: JsonObject): Evaluation {
  const { key } = flag;
  const metadata = Object.keys(flag.metadata).length === 0 ? {} : { metadata: flag.metadata };
  if (flag.state === 'DISABLED') return { key, reason: 'DISABLED', ...metadata };
  try {
    const { reason, variant, value, errorMessage } = flag.evaluate(context as never);
    if (errorMessage !== undefined) return { key, errorCode: 'GENERAL', errorDetails: errorMessage, ...metadata };
    return { key, reason, variant, value, ...metadata };
  } catch {
    // flagd does not catch the failure of a result that cannot be converted to a string.
    const errorDetails = `Error evaluating targeting rule for flag '${key}'`;
    return { key, errorCode: 'GENERAL', errorDetails, ...metadata };
  }
}

/**
 * Creates an evaluator that caches the parsed flags of one revision. It reads the current revision on every evaluation,
 * so that a change applies to the next request on every node. Parsing and evaluating many flags takes long, so both
 * return to the event loop between two flags.
 */
export function createFlagEvaluator({ platform }: PlatformServices): FlagEvaluator {
  let parsed: ReadonlyMap<string, ParsedFlag> = new Map();
  let current: { readonly revision: string; readonly flags: Promise<ReadonlyMap<string, ParsedFlag>> } | undefined;

  const load = async (): Promise<ReadonlyMap<string, ParsedFlag>> => {
    const { parseFlag } = await import('./flagd.ts');
    const flags = new Map<string, ParsedFlag>();
    for (const { key, definition_json } of await readAllFlags(platform)) {
      await yieldToEventLoop();
      const known = parsed.get(key);
      const isKnown = known?.definition_json === definition_json;
      flags.set(key, isKnown ? known : { definition_json, flag: parseFlag(key, JSON.parse(definition_json)) });
    }
    parsed = flags;
    return flags;
  };

  const currentFlags = async (): Promise<ReadonlyMap<string, ParsedFlag>> => {
    const row = await readRevision(platform);
    if (row === undefined) throw new Error('The platform database has no feature_flag_set.');
    if (current?.revision !== row.revision) {
      // The flags are read after the revision. If they are newer, the next evaluation sees another revision and reads
      // them again, so that outdated flags are never cached.
      const loading = { revision: row.revision, flags: load() };
      current = loading;
      loading.flags.catch(() => {
        if (current === loading) current = undefined;
      });
    }
    return await current.flags;
  };

  return {
    async evaluate(key, { fields }) {
      const known = (await currentFlags()).get(key);
      if (known !== undefined) return evaluateFlag(known.flag, fields);
      throw new AppError('FEATURE_FLAG.NOT_FOUND', 'There is no feature flag with this key. Check the key.');
    },
    async evaluateAll({ fields, text }) {
      const evaluations: Evaluation[] = [];
      for (const { flag } of (await currentFlags()).values()) {
        await yieldToEventLoop();
        evaluations.push(evaluateFlag(flag, fields));
      }
      const json = JSON.stringify({ flags: evaluations });
      return { json, tag: entityTag(text, json) };
    },
  };
}

/**
 * Evaluates a definition for a tenant exactly as OFREP would, without storing it. Throws 422 for a definition that
 * flagd cannot evaluate, 400 `FEATURE_FLAG.CONTEXT_INVALID` and 404 `TENANT.NOT_FOUND`.
 */
export async function tryFlag(
  { platform }: PlatformServices,
  { definition, tenant_id, context = {} }: TryFeatureFlag,
): Promise<FeatureFlagTrial> {
  await assertEvaluable(definition);
  const { plan_code } = await readTenant(platform, tenant_id);
  const { fields } = contextOf({ context }, { id: tenant_id, plan_code });
  const { parseFlag } = await import('./flagd.ts');
  const result = evaluateFlag(parseFlag('trial', definition), fields);
  if ('errorCode' in result) {
    return { value: null, variant: null, reason: 'ERROR', error: result.errorDetails, context: fields };
  }
  const { value = null, variant = null, reason } = result;
  return { value, variant, reason, error: null, context: fields };
}
