import type { PlatformTransaction } from '../../../db/database.ts';
import { findRow, lockRow } from '../../../db/rows.ts';
import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/payments.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { welcomeMail } from '../../../mail/templates/tenants.ts';
import { PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Placement } from '../../../tenancy/placement.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { addMember } from '../../accounts/memberships/service.ts';
import { admitTenant } from '../../accounts/tenants/service.ts';
import { requireActiveKey } from '../../licensing/signing-keys/service.ts';
import { completeTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { registerCustomer } from '../billing/customer-service.ts';
import { enqueueBillingSync } from '../billing/enqueue.ts';
import { doneSteps, isFree, placementOf, type StepName, withStep } from './checkout.ts';
import { providerOf, readPayment, recordTransition } from './payment-service.ts';
import { lockUser, updateCheckout } from './queries.ts';

// Provisions a tenant after a payment. Each step is idempotent and is stored when it is done, so that after a crash the
// next run continues with the first missing step. One transaction creates the tenant, its owner and its customer;
// nothing is visible to others before it.

const retryNotice = 'The tenant could not be created yet. The service retries on its own; you are not charged twice.';

/**
 * Continues a checkout: reads whether it is paid and provisions the tenant, or withdraws it when its user no longer
 * exists or is disabled. Returns when to run again; null when the checkout is over, or when no checkout has the id.
 */
export async function advanceCheckout(services: Services, id: string): Promise<Timestamp | null> {
  const found = await findRow(services.platform.query, 'onboarding_checkouts', id);
  if (found === undefined) return null;
  const row = await readPayment(services, found);
  if (row.status === 'pending') return row.expires_at;
  if (row.status === 'failed') await withdraw(services, row);
  if (row.status !== 'paid' && row.status !== 'provisioning') return null;
  try {
    await provision(services, row);
  } catch (error) {
    await services.platform.transaction((tx) => updateCheckout(tx, id, { error: retryNotice }));
    throw error;
  }
  return null;
}

type Provisioned = OnboardingCheckoutsTable | 'ended';

/** The steps in their order. Each returns the updated row, or `ended` when the checkout is no longer provisioned. */
const steps: readonly ((services: Services, row: OnboardingCheckoutsTable) => Promise<Provisioned>)[] = [
  place,
  createDatabase,
  migrate,
  verifySigningKey,
  admit,
  welcome,
];

async function provision(services: Services, paid: OnboardingCheckoutsTable): Promise<void> {
  let row = paid;
  for (const step of steps) {
    const after = await step(services, row);
    if (after === 'ended') {
      const ended = await findRow(services.platform.query, 'onboarding_checkouts', row.id);
      if (ended?.status === 'failed') await withdraw(services, { ...ended, placement_json: row.placement_json });
      return;
    }
    row = after;
  }
}

/** Changes the row of a checkout in one transaction. Returns `ended` unless the checkout is paid or provisioning. */
async function change(
  { clock, platform }: Services,
  id: string,
  work: (
    tx: PlatformTransaction,
    row: OnboardingCheckoutsTable,
    at: Timestamp,
  ) => Promise<Partial<OnboardingCheckoutsTable>>,
): Promise<Provisioned> {
  return await platform.transaction(async (tx) => {
    const row = await lockRow(tx, 'onboarding_checkouts', id);
    if (row?.status !== 'paid' && row?.status !== 'provisioning') return 'ended';
    const at = clock.now();
    const changes = { ...(await work(tx, row, at)), updated_at: at };
    await updateCheckout(tx, id, changes);
    return { ...row, ...changes };
  });
}

/** Stores the placement of the database before it is created, so that a crash never leaves an unknown database. */
async function place(services: Services, { id, tenant_id }: OnboardingCheckoutsTable): Promise<Provisioned> {
  const placement = await services.provisioning.steps.place(tenant_id);
  return await change(services, id, async (tx, row, at) => {
    if ((await lockUser(tx, row.user_id)) === undefined) return await fail(tx, row, at);
    if (row.placement_json !== null) return { status: 'provisioning' };
    return { status: 'provisioning', placement_json: JSON.stringify(placement) };
  });
}

/** Fails the checkout of a user who was disabled or deleted. The caller withdraws it after the transaction. */
async function fail(
  tx: PlatformTransaction,
  row: OnboardingCheckoutsTable,
  at: Timestamp,
): Promise<Partial<OnboardingCheckoutsTable>> {
  await recordTransition(tx, systemActor, row, 'failed', at);
  return {
    status: 'failed',
    error: 'The user of this checkout no longer exists or is disabled. The subscription is canceled.',
  };
}

/** Performs a step unless it is done already, and stores that it is done. */
async function once(
  services: Services,
  row: OnboardingCheckoutsTable,
  step: StepName,
  work: (placement: Placement) => Promise<void>,
): Promise<Provisioned> {
  if (row.status === 'failed') return 'ended';
  if (doneSteps(row)[step] !== undefined) return row;
  const placement = placementOf(row);
  if (placement === undefined) throw new Error(`The checkout ${row.id} has no placement.`);
  await work(placement);
  return await change(services, row.id, (_tx, locked, at) =>
    Promise.resolve({ steps_json: withStep(locked, step, at) }),
  );
}

function createDatabase(services: Services, row: OnboardingCheckoutsTable): Promise<Provisioned> {
  return once(services, row, 'database', (placement) => services.provisioning.steps.create(placement));
}

function migrate(services: Services, row: OnboardingCheckoutsTable): Promise<Provisioned> {
  return once(services, row, 'migrations', (placement) => services.provisioning.steps.initialise(placement));
}

/** Verifies that the new database can be opened and has its signing key. */
function verifySigningKey(services: Services, row: OnboardingCheckoutsTable): Promise<Provisioned> {
  return once(services, row, 'signing_key', (placement) =>
    services.provisioning.steps.withDatabase(placement, async (db) => {
      await requireActiveKey(db);
    }),
  );
}

/**
 * Creates the tenant, its owner, its audit records and its customer in one transaction. The subscription is synced
 * later.
 */
async function admit(services: Services, { id }: OnboardingCheckoutsTable): Promise<Provisioned> {
  const admitted = await change(services, id, async (tx, row, at) => {
    if (doneSteps(row).tenant !== undefined) return {};
    const user = await lockUser(tx, row.user_id);
    const placement = placementOf(row);
    if (user === undefined || placement === undefined) return await fail(tx, row, at);
    const actor: Actor = { ...systemActor, type: 'user', id: user.id };
    const { plan_code: planCode, tenant_name: name, tenant_id: tenantId } = row;
    await admitTenant(tx, actor, { placement, name, planCode, at });
    await addMember(tx, actor, { id: newId(), tenantId, user, role: 'owner', at });
    const steps_json = withStep(row, 'tenant', at);
    if (isFree(row)) return { steps_json };
    const { provider, provider_customer_id, provider_subscription_id } = row;
    if (provider !== null && provider_customer_id !== null) {
      // The buyer is billed since the checkout began, so that a late payment of it is not taken for history.
      const { created_at } = row;
      await registerCustomer(tx, { tenant_id: tenantId, provider, provider_customer_id, created_at });
    }
    if (provider_subscription_id !== null) await enqueueBillingSync(tx, provider_subscription_id, at);
    return { steps_json: withStep({ steps_json }, 'subscription', at) };
  });
  if (admitted !== 'ended' && admitted.status !== 'failed') {
    services.wakeUps.wakeRunner();
    await completeTenantAudit(services, admitted.tenant_id);
  }
  return admitted !== 'ended' && admitted.status === 'failed' ? 'ended' : admitted;
}

/** Enqueues the mail and completes the checkout in one transaction, so that the mail is sent once. */
async function welcome(services: Services, { id }: OnboardingCheckoutsTable): Promise<Provisioned> {
  const { publicUrl } = services.config;
  const completed = await change(services, id, async (tx, row, at) => {
    const user = await lockUser(tx, row.user_id);
    const { tenant_name: tenantName, plan_name: planName } = row;
    if (user !== undefined) {
      const mail = welcomeMail({ to: user.email, tenantName, planName, publicUrl });
      await services.mail.enqueue(tx, { ...mail, tenantId: row.tenant_id });
    }
    // The tenant has the password of its database; a copy here would outlive it.
    return { status: 'completed', error: null, placement_json: null, steps_json: withStep(row, 'welcome', at) };
  });
  services.mail.kick();
  return completed;
}

/** Cancels the subscription and drops the database of a failed checkout. Idempotent. */
async function withdraw(services: Services, row: OnboardingCheckoutsTable): Promise<void> {
  if (row.provider_subscription_id !== null) await cancelSubscription(services, row, row.provider_subscription_id);
  const placement = placementOf(row);
  if (placement !== undefined) {
    await services.provisioning.steps.drop(placement);
    await services.platform.transaction((tx) => updateCheckout(tx, row.id, { placement_json: null }));
  }
  services.logger.warn(
    { checkout_id: row.id, user_id: row.user_id },
    'the customer of a plan no longer exists or is disabled: no tenant was created, and the subscription was canceled',
  );
}

async function cancelSubscription(
  services: Services,
  row: OnboardingCheckoutsTable,
  subscriptionId: string,
): Promise<void> {
  const provider = providerOf(services, row);
  const subscription = await provider.findSubscription(subscriptionId);
  if (subscription === undefined || subscription.status === 'canceled') return;
  await provider.cancelNow(subscriptionId).catch((error: unknown) => {
    // The subscription ended meanwhile.
    if (!(error instanceof PaymentProviderError && error.reason === 'not_found')) throw error;
  });
}
