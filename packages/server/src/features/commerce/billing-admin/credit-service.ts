import type { BillingCreditsTable } from '../../../db/tables/platform/billing.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { callProvider, requirePayments } from '../../../payments/call-provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { findTenantRecord } from '../../../tenancy/tenant-record.ts';
import { createdFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { findProviderCustomer } from '../billing/customer-service.ts';
import { findCredit, insertCredit, markApplied } from './queries.ts';
import type { GiveCredit } from './schemas.ts';

/**
 * Grants a credit that lowers a tenant's next invoices. A call with the same reference is idempotent: the credit exists
 * once, and the provider receives it under one idempotency key. Throws 422 for an unknown tenant, 422
 * `BILLING.REFERENCE_REUSED` for the reference of another credit, and 409 `BILLING.NO_SUBSCRIPTION` for a tenant that
 * never bought a plan.
 */
export async function giveCredit(services: Services, actor: Actor, input: GiveCredit): Promise<BillingCreditsTable> {
  const payments = requirePayments(services);
  const { platform, clock } = services;
  if ((await findTenantRecord(platform, input.tenant_id)) === undefined) {
    throw validationError({ field: 'tenant_id', message: 'Choose an existing tenant.' });
  }
  const customerId = await findProviderCustomer(platform, payments.name, input.tenant_id);
  const credit = await storeCredit(services, actor, input);
  const { amount, currency, reason } = credit;
  await callProvider(() => payments.addCredit(customerId, { amount, currency, reason }, `credit:${credit.id}`));
  const at = clock.now();
  await platform.transaction(async (tx) => {
    if (!(await markApplied(tx, credit.id, at))) return;
    const changes = createdFields(credit, ['tenant_id', 'amount', 'currency', 'reason', 'reference']);
    const entry = { event: 'BILLING.CREDIT_GIVEN', resourceType: 'credit', resourceId: credit.id, changes, at };
    await recordPlatformAudit(tx, actor, entry);
  });
  return { ...credit, applied_at: credit.applied_at ?? at };
}

/**
 * Stores a credit before the request to the provider, so that after a failure the same reference continues the same
 * credit.
 */
async function storeCredit(
  { platform, clock }: Services,
  actor: Actor,
  input: GiveCredit,
): Promise<BillingCreditsTable> {
  const stamps = { admin_id: actor.id ?? '', applied_at: null, created_at: clock.now() };
  const reference = input.reference ?? null;
  const row = { id: newId(), ...input, reference, ...stamps };
  if (await insertCredit(platform, row)) return row;
  const known = await findCredit(platform, input.tenant_id, reference ?? '');
  const isSame = known?.amount === input.amount && known.currency === input.currency && known.reason === input.reason;
  if (known !== undefined && isSame) return known;
  throw new AppError(
    'BILLING.REFERENCE_REUSED',
    'Another credit of the tenant has this reference. Choose another reference.',
  );
}
