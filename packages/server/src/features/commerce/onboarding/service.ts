import type { PlatformTransaction } from '../../../db/database.ts';
import { insertRow, lockRow } from '../../../db/rows.ts';
import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/payments.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { callProvider } from '../../../payments/call-provider.ts';
import type { PlatformServices, Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { createdFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { isTrialAvailable } from '../billing/checkout-service.ts';
import { readOfferedPlans } from '../plans/offered-service.ts';
import { chosenPlanCode } from '../plans/plan.ts';
import { findPlanByCode } from '../plans/service.ts';
import { choosePrice, isFree, openForHours, priceOf } from './checkout.ts';
import {
  auditOf,
  awaitsPayment,
  enqueueOnboarding,
  providerOf,
  readPayment,
  recordTransition,
} from './payment-service.ts';
import {
  countFreeTenants,
  countOpenCheckouts,
  findOwnCheckout,
  hasPaidTrial,
  lockUser,
  updateCheckout,
} from './queries.ts';
import { checkoutPage, leftCheckoutPage } from './redirects.ts';
import type { StartCheckout } from './schemas.ts';

type OfferedPlan = NonNullable<Awaited<ReturnType<typeof findPlanByCode>>>;
/** Maximum open checkouts of a user. Most users need one; the others are abandoned. */
const openMax = 5;

interface NewCheckout {
  readonly id: string;
  readonly user: AuthenticatedUser;
  readonly actor: Actor;
  readonly input: StartCheckout;
}

/**
 * Starts the checkout of a plan with a new tenant. A free plan is provisioned at once; for a paid plan the provider
 * creates a checkout, and the returned row has the URL of its page. Later changes of the plan do not affect the
 * checkout. If the user has a checkout with the id, because a process died after it stored the checkout, that one is
 * continued and returned. Throws 422 for a plan, interval or currency that is not offered, 409
 * `ONBOARDING.TOO_MANY_OPEN` or `ONBOARDING.TOO_MANY_FREE`, 409 `ONBOARDING.NO_PROVIDER`, and 503 while the provider is unavailable.
 */
export async function startCheckout(services: Services, checkout: NewCheckout): Promise<OnboardingCheckoutsTable> {
  const { user, actor, input } = checkout;
  const offered = await findPlanByCode(services.platform, chosenPlanCode(input));
  if (offered === undefined || offered.plan.archived_at !== null) {
    throw validationError({
      field: input.plan_code === undefined ? 'plan' : 'plan_code',
      message: 'Choose a plan that is offered.',
    });
  }
  const newRow = newCheckout(services, offered, checkout);
  if (!isFree(newRow) && newRow.provider === null) throw noProvider();
  const row = await services.platform.transaction(async (tx) => {
    if ((await lockUser(tx, user.id)) === undefined) throw checkoutNotFound();
    const started = await findOwnCheckout(tx, user.id, newRow.id);
    if (started !== undefined) return started;
    if ((await countOpenCheckouts(tx, user.id, openMax)) >= openMax) throw tooManyOpen();
    if (isFree(newRow)) await assertFreeTenantLeft(services, tx, user.id);
    const checkoutRow = (await isTrialLeft(tx, user.id)) ? newRow : { ...newRow, trial_days: 0 };
    await insertRow(tx, 'onboarding_checkouts', checkoutRow);
    const changes = createdFields(checkoutRow, ['plan_code', 'interval', 'currency', 'amount', 'tenant_name']);
    const at = newRow.created_at;
    await recordPlatformAudit(tx, actor, { ...auditOf(newRow.id, 'ONBOARDING.STARTED'), changes, at });
    // An unpaid checkout is expired at that time.
    await enqueueOnboarding(tx, newRow.id, at, isFree(newRow) ? at : newRow.expires_at);
    return checkoutRow;
  });
  services.wakeUps.wakeRunner();
  const isOpen = isFree(row) || row.status !== 'pending' || row.checkout_url !== null;
  return isOpen ? row : await openAtProvider(services, user, row);
}

/** Reads the offered plans with the trials that a purchase of this person begins with: none after the first trial. */
export async function readPlansFor(services: Services, userId: string) {
  const plans = await readOfferedPlans(services);
  if (await services.platform.transaction((tx) => isTrialLeft(tx, userId))) return plans;
  return plans.map((plan) => ({ ...plan, prices: plan.prices.map((price) => ({ ...price, trial_days: 0 })) }));
}

/** Throws 409 `ONBOARDING.TOO_MANY_FREE`. The lock of the user makes concurrent checkouts count each other. */
async function assertFreeTenantLeft({ config }: Services, tx: PlatformTransaction, userId: string): Promise<void> {
  const most = config.freeTenantsPerUser;
  if ((await countFreeTenants(tx, userId, most)) >= most) throw tooManyFree(most);
}

/** A person has one trial, whether it has become a tenant already or is being provisioned. */
async function isTrialLeft(tx: PlatformTransaction, userId: string): Promise<boolean> {
  return (await isTrialAvailable(tx, { tenantId: null, userId })) && !(await hasPaidTrial(tx, userId));
}

function newCheckout(
  { clock, payments }: Services,
  { plan, prices }: OfferedPlan,
  { id, user, input }: NewCheckout,
): OnboardingCheckoutsTable {
  const price = choosePrice(prices, input);
  const amount = price?.amount ?? 0;
  const at = clock.now();
  return {
    id,
    user_id: user.id,
    plan_code: plan.code,
    plan_name: plan.name,
    interval: price?.interval ?? null,
    currency: price?.currency ?? null,
    amount,
    trial_days: amount === 0 ? 0 : (price?.trial_days ?? 0),
    tenant_name: input.tenant_name,
    status: amount === 0 ? 'provisioning' : 'pending',
    provider: amount === 0 ? null : (payments?.name ?? null),
    provider_checkout_id: null,
    checkout_url: null,
    provider_customer_id: null,
    provider_subscription_id: null,
    tenant_id: newId(),
    placement_json: null,
    steps_json: '{}',
    error: null,
    expires_at: addSeconds(at, openForHours * 3600),
    created_at: at,
    updated_at: at,
  };
}

/**
 * Creates the checkout at the provider. When that fails, the row becomes `failed`, so that no open checkout is left.
 */
async function openAtProvider(
  services: Services,
  user: AuthenticatedUser,
  row: OnboardingCheckoutsTable,
): Promise<OnboardingCheckoutsTable> {
  const { clock, config, platform } = services;
  try {
    const request = {
      reference: row.id,
      customer: { email: user.email, name: user.name },
      price: priceOf(row),
      trialDays: row.trial_days,
      successUrl: checkoutPage(config, row.id),
      cancelUrl: leftCheckoutPage(config, row.id),
    };
    const created = await callProvider(() => providerOf(services, row).createCheckout(request));
    const changes = { provider_checkout_id: created.id, checkout_url: created.url, updated_at: clock.now() };
    await platform.transaction((tx) => updateCheckout(tx, row.id, changes));
    return { ...row, ...changes };
  } catch (error) {
    const changes = {
      status: 'failed',
      error: 'The payment provider did not create the checkout. Start another checkout.',
      updated_at: clock.now(),
    } as const;
    await platform.transaction((tx) => updateCheckout(tx, row.id, changes));
    throw error;
  }
}

/** Returns a checkout of the user. Throws 404 `RESOURCE.NOT_FOUND`, also for another user's checkout. */
export async function readCheckout(
  { platform }: PlatformServices,
  user: AuthenticatedUser,
  id: string,
): Promise<OnboardingCheckoutsTable> {
  const row = orThrow(await findOwnCheckout(platform.query, user.id, id), checkoutNotFound);
  return row;
}

/**
 * Reads at the provider whether a checkout is paid, whether or not the provider's event has arrived, and enqueues the
 * provisioning if it is. Returns the updated row. Idempotent. Throws 404 `RESOURCE.NOT_FOUND`, and 503 while the
 * provider is unavailable.
 */
export async function completeOnboardingCheckout(
  services: Services,
  user: AuthenticatedUser,
  id: string,
): Promise<OnboardingCheckoutsTable> {
  const row = await readCheckout(services, user, id);
  return await callProvider(() => readPayment(services, row));
}

/**
 * Cancels an unpaid checkout, which can then no longer be paid. Idempotent. Throws 404 `RESOURCE.NOT_FOUND`, 409
 * `ONBOARDING.TRANSITION_INVALID` when the checkout is paid or over, and 503 while the provider is unavailable.
 */
export async function cancelCheckout(
  services: Services,
  user: AuthenticatedUser,
  actor: Actor,
  id: string,
): Promise<OnboardingCheckoutsTable> {
  const before = await readCheckout(services, user, id);
  if (before.status === 'canceled') return before;
  if (!awaitsPayment(before)) throw transitionInvalid();
  await expireAtProvider(services, before);
  await services.platform.transaction(async (tx) => {
    const row = await lockRow(tx, 'onboarding_checkouts', id);
    if (row?.status !== 'pending') return;
    const at = services.clock.now();
    await updateCheckout(tx, id, { status: 'canceled', updated_at: at });
    await recordTransition(tx, actor, row, 'canceled', at);
  });
  // The checkout may have been paid just before it was expired: then the payment counts.
  const after = await completeOnboardingCheckout(services, user, id);
  if (after.status !== 'canceled') throw transitionInvalid();
  return after;
}

async function expireAtProvider(services: Services, row: OnboardingCheckoutsTable): Promise<void> {
  const { provider_checkout_id: checkoutId } = row;
  if (checkoutId !== null) await callProvider(() => providerOf(services, row).expireCheckout(checkoutId));
}

/** Returns the 404 for an unknown checkout and for another user's: the two must not be distinguishable. */
function checkoutNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'You have no checkout with this id. List your checkouts to find the id.');
}

function tooManyOpen(): AppError {
  const message = `You have ${openMax} open checkouts, which is the maximum. Pay or cancel one of them first.`;
  return new AppError('ONBOARDING.TOO_MANY_OPEN', message);
}

function tooManyFree(most: number): AppError {
  const message =
    most === 0
      ? 'Nobody can create tenants on free plans here. Choose a plan with a price, or ask the operator of this service.'
      : `You own ${most === 1 ? 'a tenant on a free plan' : `${most} tenants on free plans`}, which is the maximum. Choose a plan with a price, change the plan of one of these tenants first, or ask the operator of this service to close one.`;
  return new AppError('ONBOARDING.TOO_MANY_FREE', message);
}

function noProvider(): AppError {
  const message = 'This service has no payment provider, so plans with a price cannot be bought. Choose a free plan.';
  return new AppError('ONBOARDING.NO_PROVIDER', message);
}

function transitionInvalid(): AppError {
  const message = 'Only an unpaid checkout can be canceled. Read the checkout to see its status.';
  return new AppError('ONBOARDING.TRANSITION_INVALID', message);
}
