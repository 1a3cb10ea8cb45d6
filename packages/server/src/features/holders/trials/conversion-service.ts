import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TrialsTable } from '../../../db/tables/tenant/trials.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { convertLicense } from '../../licensing/licenses/lifecycle-service.ts';
import { findPolicy } from '../../licensing/policies/service.ts';
import { findProductByName } from '../../licensing/products/service.ts';
import { eraseEmailRows, isOpenTrial, listTrialsOf, markConverted, readFigures, type TrialFigures } from './queries.ts';

/**
 * Turns a trial license into a license of another policy of its product, whose term starts now. Key and devices stay.
 * Throws 404 `LICENSE.NOT_FOUND`, 409 `LICENSE.TRANSITION_INVALID` for a license that is not a trial or is revoked, and 422
 * for an unknown policy, one of another product, or the trial's own.
 */
export async function convertTrial(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  policyId: string,
): ReturnType<typeof convertLicense> {
  return await convertLicense(services, tenant, actor, id, async (tx, license, at) => {
    const product = await findProductByName(tx, license.product_id);
    const isTrial = product?.trial_policy_id === license.policy_id || (await isOpenTrial(tx, license.id));
    if (!isTrial) throw notATrial();
    const policy = await findPolicy(tx, policyId);
    if (policy?.product_id !== license.product_id) {
      throw invalidPolicy("must be the id of a policy of the license's product");
    }
    if (isTrialPolicy(policyId, product?.trial_policy_id, license)) {
      throw invalidPolicy('must be another policy than that of the trial');
    }
    await markConverted(tx, license.id, at);
    return policy;
  });
}

function isTrialPolicy(policyId: string, trialPolicyId: string | null | undefined, license: LicensesTable): boolean {
  return policyId === trialPolicyId || policyId === license.policy_id;
}

function invalidPolicy(message: string): AppError {
  return validationError({ field: 'policy_id', message });
}

function notATrial(): AppError {
  const message = 'The license is not a trial, or was converted before. Change its policy with PUT instead.';
  return new AppError('LICENSE.TRANSITION_INVALID', message);
}

export { figuresMost } from './queries.ts';

/** Returns the figures of the trials that started since a time. */
export function readTrialFigures({ query }: TenantDb, since: Timestamp): Promise<TrialFigures> {
  return readFigures(query, since);
}

const idsPerStatement = 500;

/** Returns the trials of these licenses by the time of their start, for an export of personal data. */
export async function readTrialsOf({ query }: TenantDb, licenseIds: readonly string[]): Promise<TrialsTable[]> {
  const rows: TrialsTable[] = [];
  for (const ids of batchesOf(licenseIds, idsPerStatement)) rows.push(...(await listTrialsOf(query, ids)));
  return rows.sort((left, right) => (left.started_at < right.started_at ? -1 : 1));
}

/** Replaces an address in the trials by its hash, and removes the requests that wait for its confirmation. */
export async function eraseTrialEmail(tx: TenantTransaction, email: string): Promise<void> {
  await eraseEmailRows(tx, foldEmail(email));
}
