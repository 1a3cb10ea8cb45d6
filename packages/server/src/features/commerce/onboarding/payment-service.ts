import type { PlatformTransaction } from '../../../db/database.ts';
import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/onboarding.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { PaymentProvider, ProviderCheckout } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { isFree, withStep } from './checkout.ts';
import { enqueueOnboarding } from './enqueue.ts';
import { findCheckout, lockCheckout, updateCheckout } from './queries.ts';

export type PaymentServices = Pick<Services, 'clock' | 'platform' | 'payments' | 'wakeUps'>;

/** The states in which a payment may still come to light: what the provider says goes before what we wrote. */
const unpaid: readonly OnboardingCheckoutsTable['status'][] = ['pending', 'expired', 'canceled'];

/** True while it is to be asked whether it was paid. */
export function awaitsPayment(row: OnboardingCheckoutsTable): boolean {
  return !isFree(row) && unpaid.includes(row.status);
}

/** The provider that a checkout was begun with. Throws when the configuration names another one, or none. */
export function providerOf({ payments }: Pick<Services, 'payments'>, row: OnboardingCheckoutsTable): PaymentProvider {
  if (payments?.name === row.provider) return payments;
  throw new Error(
    `The checkout ${row.id} was begun with ${row.provider}, which PAYMENT_PROVIDER does not name: set it again.`,
  );
}

/**
 * Asks the provider what became of a checkout, and writes it down: paid (and then the work goes on), expired, or
 * neither. Answers the row as it is then. Throws `PaymentProviderError` when the provider cannot be read.
 */
export async function readPayment(
  services: PaymentServices,
  row: OnboardingCheckoutsTable,
): Promise<OnboardingCheckoutsTable> {
  if (!awaitsPayment(row)) return row;
  const found = row.provider_checkout_id === null ? undefined : await ask(services, row, row.provider_checkout_id);
  if (found === 'unfinished') return row;
  if (found?.status === 'complete') await writePaid(services, row.id, found);
  else if (found === undefined ? isOver(services, row) : found.status === 'expired')
    await writeExpired(services, row.id);
  return (await findCheckout(services.platform, row.id)) ?? row;
}

const isOver = ({ clock }: PaymentServices, row: OnboardingCheckoutsTable) => row.expires_at <= clock.now();

/** What the provider says of a checkout; one whose time is over is ended there first. */
async function ask(
  services: PaymentServices,
  row: OnboardingCheckoutsTable,
  checkoutId: string,
): Promise<ProviderCheckout | 'unfinished' | undefined> {
  const provider = providerOf(services, row);
  let found = await provider.findCheckout(checkoutId);
  if (found?.status === 'open' && isOver(services, row)) {
    await provider.expireCheckout(checkoutId);
    found = await provider.findCheckout(checkoutId);
  }
  if (found?.status !== 'complete' || found.subscriptionId === null) return found;
  // Complete says that the customer did all; some ways of paying take days to come in.
  const subscription = await provider.findSubscription(found.subscriptionId);
  return subscription?.status === 'incomplete' ? 'unfinished' : found;
}

async function writePaid(services: PaymentServices, id: string, found: ProviderCheckout): Promise<void> {
  const { clock, platform, wakeUps } = services;
  await platform.transaction(async (tx) => {
    const row = await lockCheckout(tx, id);
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

async function writeExpired({ clock, platform }: PaymentServices, id: string): Promise<void> {
  await platform.transaction(async (tx) => {
    const row = await lockCheckout(tx, id);
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

/** Audits that a checkout came into another state. */
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

export function auditOf(id: string, event: string) {
  return { event, resourceType: 'onboarding', resourceId: id };
}
