import type { TenantCaller } from '../../../../http/routes/caller-route.ts';
import { AppError } from '../../../../lib/error.ts';
import { isObject, type JsonObject } from '../definition/problems.ts';

/** Rules may look at every element of a list in it. */
const sizeMax = 16 * 1024;

/**
 * The context of an OFREP request. Who asks stands in it whatever the request says: `targetingKey` and `tenant_id` are
 * the tenant's id, `plan` the code of its plan. Throws 400 `FEATURE_FLAG.CONTEXT_INVALID`.
 */
export function contextOf(body: unknown, { tenantId, planCode }: TenantCaller): JsonObject {
  const context = isObject(body) ? body['context'] : undefined;
  if (!isObject(context)) throw invalid('Send {"context": {…}}, with an object that may be empty.');
  if (Buffer.byteLength(JSON.stringify(context)) > sizeMax) throw invalid('Send a context of at most 16 KiB.');
  return { ...context, targetingKey: tenantId, tenant_id: tenantId, plan: planCode };
}

function invalid(message: string): AppError {
  return new AppError('FEATURE_FLAG.CONTEXT_INVALID', message);
}
