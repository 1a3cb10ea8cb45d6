import type { TenantCaller } from '../../../../http/routes/caller-route.ts';
import { AppError } from '../../../../lib/error.ts';
import { isObject, type JsonObject } from '../definition/problems.ts';

/** The maximum size of a context in bytes. Rules may loop over every element of its lists. */
const sizeMax = 16 * 1024;

/** The context of an evaluation, and a text that is different for every other context. */
export interface Context {
  readonly fields: JsonObject;
  readonly text: string;
}

/**
 * Returns the context of an OFREP request. The caller's identity overwrites the fields of the request: `targetingKey`
 * and `tenant_id` are the tenant's id, and `plan` is the code of its plan. Throws 400 `FEATURE_FLAG.CONTEXT_INVALID`.
 */
export function contextOf(body: unknown, { tenantId, planCode }: TenantCaller): Context {
  const context = isObject(body) ? body['context'] : undefined;
  if (!isObject(context)) throw invalid('Send {"context": {…}}, with an object that may be empty.');
  const json = JSON.stringify(context);
  if (Buffer.byteLength(json) > sizeMax) throw invalid('Send a context of at most 16 KiB.');
  return {
    fields: { ...context, targetingKey: tenantId, tenant_id: tenantId, plan: planCode },
    text: `${tenantId} ${planCode} ${json}`,
  };
}

function invalid(message: string): AppError {
  return new AppError('FEATURE_FLAG.CONTEXT_INVALID', message);
}
