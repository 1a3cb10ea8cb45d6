import type { PlatformTransaction } from '../../../db/database.ts';
import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/onboarding.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { welcomeMail } from '../../../mail/templates/welcome.ts';
import { PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Placement } from '../../../tenancy/placement.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { addMember } from '../../accounts/memberships/service.ts';
import { admitTenant } from '../../accounts/tenants/service.ts';
import { ensureSigningKey } from '../../licensing/signing-keys/service.ts';
import { completeTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { registerCustomer } from '../billing/customer-service.ts';
import { enqueueBillingSync } from '../billing/enqueue.ts';
import { doneSteps, isFree, placementOf, type StepName, withStep } from './checkout.ts';
import { providerOf, readPayment, recordTransition } from './payment-service.ts';
import { findCheckout, lockCheckout, lockUser, updateCheckout } from './queries.ts';

// From a payment to a tenant that works. Each step may be repeated and is written down when it is done; whatever ends
// the process, the next run goes on from there. Nothing that others can see is there before the one transaction that
// makes the tenant, its owner and its customer, and nothing but that transaction makes them.

export type ProvisioningServices = Pick<
  Services,
  'clock' | 'config' | 'platform' | 'payments' | 'wakeUps' | 'provisioning' | 'keyring' | 'mail' | 'tenants' | 'logger'
>;

const ongoing = 'The tenant could not be made yet. It is tried again by itself; nothing is paid twice.';

/**
 * Goes on with a checkout as far as it can: reads whether it is paid, makes the tenant, or undoes what was begun for a
 * user who is gone. Answers when to look again; null when it is over. An id that no checkout has is none of ours.
 */
export async function advanceCheckout(services: ProvisioningServices, id: string): Promise<Timestamp | null> {
  const found = await findCheckout(services.platform, id);
  if (found === undefined) return null;
  const row = await readPayment(services, found);
  if (row.status === 'pending') return row.expires_at;
  if (row.status === 'failed') await withdraw(services, row);
  if (row.status !== 'paid' && row.status !== 'provisioning') return null;
  try {
    await provision(services, row);
  } catch (error) {
    await services.platform.transaction((tx) => updateCheckout(tx, id, { error: ongoing }));
    throw error;
  }
  return null;
}

type Provisioned = OnboardingCheckoutsTable | 'ended';

/** The steps in their order. Each answers the row as it is after it, or that the checkout came to nothing meanwhile. */
const steps: readonly ((services: ProvisioningServices, row: OnboardingCheckoutsTable) => Promise<Provisioned>)[] = [
  place,
  makeDatabase,
  migrate,
  makeSigningKey,
  admit,
  welcome,
];

async function provision(services: ProvisioningServices, begun: OnboardingCheckoutsTable): Promise<void> {
  let row = begun;
  for (const step of steps) {
    const after = await step(services, row);
    if (after === 'ended') {
      const ended = await findCheckout(services.platform, row.id);
      if (ended?.status === 'failed') await withdraw(services, { ...ended, placement_json: row.placement_json });
      return;
    }
    row = after;
  }
}

/** Changes a checkout that is being provisioned, in one transaction. */
async function change(
  { clock, platform }: ProvisioningServices,
  id: string,
  work: (
    tx: PlatformTransaction,
    row: OnboardingCheckoutsTable,
    at: Timestamp,
  ) => Promise<Partial<OnboardingCheckoutsTable>>,
): Promise<Provisioned> {
  return await platform.transaction(async (tx) => {
    const row = await lockCheckout(tx, id);
    if (row?.status !== 'paid' && row?.status !== 'provisioning') return 'ended';
    const at = clock.now();
    const changes = { ...(await work(tx, row, at)), updated_at: at };
    await updateCheckout(tx, id, changes);
    return { ...row, ...changes };
  });
}

/** Where the database will be is written down before it is made: no crash leaves one that nobody knows of. */
async function place(
  services: ProvisioningServices,
  { id, tenant_id }: OnboardingCheckoutsTable,
): Promise<Provisioned> {
  const placement = await services.provisioning.steps.place(tenant_id);
  return await change(services, id, async (tx, row, at) => {
    if ((await lockUser(tx, row.user_id)) === undefined) return await fail(tx, row, at);
    if (row.placement_json !== null) return { status: 'provisioning' };
    return { status: 'provisioning', placement_json: JSON.stringify(placement) };
  });
}

/** The paid plan of a user who was disabled or deleted comes to nothing; what was begun is withdrawn afterwards. */
async function fail(
  tx: PlatformTransaction,
  row: OnboardingCheckoutsTable,
  at: Timestamp,
): Promise<Partial<OnboardingCheckoutsTable>> {
  await recordTransition(tx, systemActor, row, 'failed', at);
  return { status: 'failed', error: 'The user of this checkout is gone; the subscription is canceled.' };
}

/** Does a step that was not done yet, and writes down that it is. */
async function once(
  services: ProvisioningServices,
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

function makeDatabase(services: ProvisioningServices, row: OnboardingCheckoutsTable): Promise<Provisioned> {
  return once(services, row, 'database', (placement) => services.provisioning.steps.create(placement));
}

function migrate(services: ProvisioningServices, row: OnboardingCheckoutsTable): Promise<Provisioned> {
  return once(services, row, 'migrations', (placement) => services.provisioning.steps.initialise(placement));
}

function makeSigningKey(services: ProvisioningServices, row: OnboardingCheckoutsTable): Promise<Provisioned> {
  return once(services, row, 'signing_key', (placement) =>
    services.provisioning.steps.withDatabase(placement, (db) => ensureSigningKey(services, db)),
  );
}

/** The tenant, its owner, its audit records and who pays for it, all at once; the subscription is copied afterwards. */
async function admit(services: ProvisioningServices, { id }: OnboardingCheckoutsTable): Promise<Provisioned> {
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
      await registerCustomer(tx, { tenant_id: tenantId, provider, provider_customer_id, created_at: at });
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

/** The mail and the end of the checkout are one transaction: it is sent once. */
async function welcome(services: ProvisioningServices, { id }: OnboardingCheckoutsTable): Promise<Provisioned> {
  const { publicUrl } = services.config;
  const completed = await change(services, id, async (tx, row, at) => {
    const user = await lockUser(tx, row.user_id);
    const { tenant_name: tenantName, plan_name: planName } = row;
    if (user !== undefined) {
      await services.mail.enqueue(tx, welcomeMail({ to: user.email, tenantName, planName, publicUrl }));
    }
    return { status: 'completed', error: null, steps_json: withStep(row, 'welcome', at) };
  });
  services.mail.kick();
  return completed;
}

/** Undoes what was begun for a user who is gone: the subscription ends, and the database goes. It may be repeated. */
async function withdraw(services: ProvisioningServices, row: OnboardingCheckoutsTable): Promise<void> {
  if (row.provider_subscription_id !== null) await cancelSubscription(services, row, row.provider_subscription_id);
  const placement = placementOf(row);
  if (placement !== undefined) await services.provisioning.steps.drop(placement);
  services.logger.warn(
    { checkout_id: row.id, user_id: row.user_id },
    'a plan was bought by a user who is gone: no tenant was made, and the subscription was canceled',
  );
}

async function cancelSubscription(
  services: ProvisioningServices,
  row: OnboardingCheckoutsTable,
  subscriptionId: string,
): Promise<void> {
  const provider = providerOf(services, row);
  const subscription = await provider.findSubscription(subscriptionId);
  if (subscription === undefined || subscription.status === 'canceled') return;
  await provider.cancelNow(subscriptionId).catch((error: unknown) => {
    // Somebody else ended it meanwhile.
    if (!(error instanceof PaymentProviderError && error.reason === 'not_found')) throw error;
  });
}
