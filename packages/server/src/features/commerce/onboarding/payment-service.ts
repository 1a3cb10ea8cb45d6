import type { PlatformTransaction } from '../../../db/database.ts';
import { findRow, lockRow } from '../../../db/rows.ts';
import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/payments.ts';
import { enqueueJob } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { PaymentProvider, ProviderCheckout } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { auditsOf, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { isFree, withStep } from './checkout.ts';
import { updateCheckout } from './queries.ts';

/** Returns the common fields of a checkout's audit records. */
export const auditOf = auditsOf('onboarding');

/** Job kind: continues a checkout: reads whether it is paid, then provisions. The subject is the checkout's id. */
export const onboardingKind = 'onboarding';

/**
 * Enqueues the continuation of a checkout at `dueAt`, in the caller's transaction. An id without a checkout has no
 * effect. Callers call `wakeUps.wakeRunner` after the commit.
 */
export async function enqueueOnboarding(
  tx: PlatformTransaction,
  checkoutId: string,
  at: Timestamp,
  dueAt = at,
): Promise<void> {
  await enqueueJob(tx, { subjectId: checkoutId, kind: onboardingKind, dueAt }, at);
}

/** The statuses in which the provider may report a payment. The provider's state overrides the stored one. */
const unpaidStatuses: readonly OnboardingCheckoutsTable['status'][] = ['pending', 'expired', 'canceled'];

/** Returns true while the provider may report a payment of the checkout. */
export function awaitsPayment(row: OnboardingCheckoutsTable): boolean {
  return !isFree(row) && unpaidStatuses.includes(row.status);
}

/** Returns the payment provider of a checkout. Throws unless this provider is configured. */
export function providerOf({ payments }: Services, row: OnboardingCheckoutsTable): PaymentProvider {
  if (payments?.name === row.provider) return payments;
  throw new Error(
    `The checkout ${row.id} belongs to the payment provider ${row.provider}. Set PAYMENT_PROVIDER to ` +
      `${row.provider} again.`,
  );
}

/**
 * Reads the state of a checkout at the provider and stores it: paid (which enqueues the provisioning), expired, or
 * unchanged. Returns the updated row. Throws `PaymentProviderError` when the provider cannot be read.
 */
export async function readPayment(
  services: Services,
  row: OnboardingCheckoutsTable,
): Promise<OnboardingCheckoutsTable> {
  if (!awaitsPayment(row)) return row;
  const found =
    row.provider_checkout_id === null ? undefined : await readAtProvider(services, row, row.provider_checkout_id);
  if (found === 'unfinished') return row;
  if (found?.status === 'complete') await writePaid(services, row.id, found);
  else if (found === undefined ? isPastExpiry(services, row) : found.status === 'expired')
    await writeExpired(services, row.id);
  return (await findRow(services.platform.query, 'onboarding_checkouts', row.id)) ?? row;
}

const isPastExpiry = ({ clock }: Services, row: OnboardingCheckoutsTable) => row.expires_at <= clock.now();

/**
 * Returns the provider's checkout. An open checkout past its expiry is expired at the provider first. `unfinished`: the
 * customer has completed it, but the payment has not arrived.
 */
async function readAtProvider(
  services: Services,
  row: OnboardingCheckoutsTable,
  checkoutId: string,
): Promise<ProviderCheckout | 'unfinished' | undefined> {
  const provider = providerOf(services, row);
  let found = await provider.findCheckout(checkoutId);
  if (found?.status === 'open' && isPastExpiry(services, row)) {
    await provider.expireCheckout(checkoutId);
    found = await provider.findCheckout(checkoutId);
  }
  if (found?.status !== 'complete' || found.subscriptionId === null) return found;
  // `complete` means that the customer has done everything; some payment methods take days to arrive.
  const subscription = await provider.findSubscription(found.subscriptionId);
  return subscription?.status === 'incomplete' ? 'unfinished' : found;
}

async function writePaid(services: Services, id: string, found: ProviderCheckout): Promise<void> {
  const { clock, platform, wakeUps } = services;
  await platform.transaction(async (tx) => {
    const row = await lockRow(tx, 'onboarding_checkouts', id);
    if (row === undefined || !awaitsPayment(row)) return;
    const at = clock.now();
    const ids = { provider_customer_id: found.customerId, provider_subscription_id: found.subscriptionId };
    const changes = { status: 'paid', error: null, steps_json: withStep(row, 'payment', at), updated_at: at } as const;
    await updateCheckout(tx, id, { ...ids, ...changes });
    await recordTransition(tx, systemActor, row, 'paid', at);
    await enqueueOnboarding(tx, id, at);
  });
  wakeUps.wakeRunner();
}

async function writeExpired({ clock, platform }: Services, id: string): Promise<void> {
  await platform.transaction(async (tx) => {
    const row = await lockRow(tx, 'onboarding_checkouts', id);
    if (row?.status !== 'pending') return;
    const at = clock.now();
    await updateCheckout(tx, id, { status: 'expired', updated_at: at });
    await recordTransition(tx, systemActor, row, 'expired', at);
  });
}

const events = {
  paid: 'ONBOARDING.PAID',
  expired: 'ONBOARDING.EXPIRED',
  canceled: 'ONBOARDING.CANCELED',
  failed: 'ONBOARDING.FAILED',
} as const;

/** Audits the change of a checkout's status. */
export async function recordTransition(
  tx: PlatformTransaction,
  actor: Actor,
  row: OnboardingCheckoutsTable,
  status: keyof typeof events,
  at: Timestamp,
): Promise<void> {
  const changes = [{ field: 'status', old: row.status, new: status }];
  await recordPlatformAudit(tx, actor, { ...auditOf(row.id, events[status]), changes, at });
}
