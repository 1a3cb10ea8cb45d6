import { validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { readTenant } from '../../accounts/tenants/list-service.ts';
import { definitionProblems } from './definition/flag-definition.ts';
import { isObject } from './definition/problems.ts';
import { contextOf } from './evaluation/context.ts';
import { prepareFlag } from './evaluation/flag-set.ts';
import { ruleContextOf } from './evaluation/rule.ts';
import type { FeatureFlagTrial, TryFeatureFlag } from './schemas.ts';

/**
 * Evaluates a definition for a tenant exactly as OFREP would, without storing it. Throws 422 for a definition that flagd
 * cannot evaluate, 400 `FEATURE_FLAG.CONTEXT_INVALID` and 404 `TENANT.NOT_FOUND`.
 */
export async function tryFlag(
  { clock, platform }: Pick<Services, 'clock' | 'platform'>,
  { definition, tenant_id, context = {} }: TryFeatureFlag,
): Promise<FeatureFlagTrial> {
  const problems = definitionProblems(definition);
  if (problems.length > 0) throw validationError(...problems);
  const { plan_code: planCode } = await readTenant(platform, tenant_id);
  const { fields } = contextOf({ context }, { tenantId: tenant_id, planCode });
  const evaluate = prepareFlag('trial', definition);
  const result: unknown = JSON.parse(evaluate(ruleContextOf(fields, Math.floor(clock.nowMs() / 1000))).json);
  if (!isObject(result)) throw new Error('The evaluation of a flag is not an object.');
  const { value = null, variant, reason, errorDetails } = result;
  return {
    value,
    variant: typeof variant === 'string' ? variant : null,
    reason: typeof reason === 'string' ? reason : 'ERROR',
    error: typeof errorDetails === 'string' ? errorDetails : null,
    context: fields,
  };
}
