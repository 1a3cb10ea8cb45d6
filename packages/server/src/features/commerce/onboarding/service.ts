import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/onboarding.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { callProvider } from '../../../payments/call-provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { createdFields } from '../../tenant-core/audit/created-fields.ts';
import { findPlanByCode } from '../plans/service.ts';
import { choosePrice, isFree, openForHours, priceOf } from './checkout.ts';
import { enqueueOnboarding } from './enqueue.ts';
import {
  auditOf,
  awaitsPayment,
  type PaymentServices,
  providerOf,
  readPayment,
  recordTransition,
} from './payment-service.ts';
import {
  countOpenCheckouts,
  createCheckoutRow,
  findOwnCheckout,
  lockCheckout,
  lockUser,
  updateCheckout,
} from './queries.ts';
import type { StartCheckout } from './schemas.ts';

type OfferedPlan = NonNullable<Awaited<ReturnType<typeof findPlanByCode>>>;
type OnboardingServices = PaymentServices & Pick<Services, 'config'>;

/** A user needs one; the others are begun and left. */
const openMost = 5;

/**
 * Begins to buy a plan. One that costs nothing is provisioned at once; for any other the provider makes a checkout, of
 * which this answers the page. What is agreed here holds, whatever becomes of the plan. Throws 422 for a plan, interval
 * or currency that is not offered, 409 `ONBOARDING.TOO_MANY_OPEN`, 409 `ONBOARDING.NO_PROVIDER`, 503 while the
 * provider cannot be reached.
 */
export async function startCheckout(
  services: OnboardingServices,
  user: AuthenticatedUser,
  actor: Actor,
  input: StartCheckout,
): Promise<OnboardingCheckoutsTable> {
  const offered = await findPlanByCode(services.platform, input.plan);
  if (offered === undefined || offered.plan.archived_at !== null) {
    throw validationError({ field: 'plan', message: 'must be the code of a plan that is offered' });
  }
  const row = newCheckout(services, user, offered, input);
  if (!isFree(row) && row.provider === null) throw noProvider();
  await services.platform.transaction(async (tx) => {
    if ((await lockUser(tx, user.id)) === undefined) throw checkoutNotFound();
    if ((await countOpenCheckouts(tx, user.id, openMost)) >= openMost) throw tooManyOpen();
    await createCheckoutRow(tx, row);
    const changes = createdFields(row, ['plan_code', 'interval', 'currency', 'amount', 'tenant_name']);
    await recordPlatformAudit(tx, actor, { ...auditOf(row.id, 'ONBOARDING.STARTED'), changes, at: row.created_at });
    // One that nobody pays is ended then.
    const dueAt = isFree(row) ? row.created_at : row.expires_at;
    await enqueueOnboarding(tx, row.id, row.created_at, dueAt);
  });
  services.wakeUps.wakeRunner();
  return isFree(row) ? row : await openAtProvider(services, user, row);
}

function newCheckout(
  { clock, payments }: OnboardingServices,
  user: AuthenticatedUser,
  { plan, prices }: OfferedPlan,
  input: StartCheckout,
): OnboardingCheckoutsTable {
  const price = choosePrice(prices, input);
  const amount = price?.amount ?? 0;
  const at = clock.now();
  return {
    id: newId(),
    user_id: user.id,
    plan_code: plan.code,
    plan_name: plan.name,
    interval: price?.interval ?? null,
    currency: price?.currency ?? null,
    amount,
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

/** Has the provider make the page on which it is paid. When it cannot, nothing is left open. */
async function openAtProvider(
  services: OnboardingServices,
  user: AuthenticatedUser,
  row: OnboardingCheckoutsTable,
): Promise<OnboardingCheckoutsTable> {
  const { clock, config, platform } = services;
  const page = `${config.publicUrl}/onboarding/${row.id}`;
  try {
    const wanted = {
      reference: row.id,
      customer: { email: user.email, name: user.name },
      price: priceOf(row),
      successUrl: page,
      cancelUrl: `${page}/canceled`,
    };
    const made = await callProvider(() => providerOf(services, row).createCheckout(wanted));
    const changes = { provider_checkout_id: made.id, checkout_url: made.url, updated_at: clock.now() };
    await platform.transaction((tx) => updateCheckout(tx, row.id, changes));
    return { ...row, ...changes };
  } catch (error) {
    const changes = {
      status: 'failed',
      error: 'The payment provider made no checkout.',
      updated_at: clock.now(),
    } as const;
    await platform.transaction((tx) => updateCheckout(tx, row.id, changes));
    throw error;
  }
}

/** One of the user's checkouts. Throws 404, for another user's too. */
export async function readCheckout(
  { platform }: Pick<Services, 'platform'>,
  user: AuthenticatedUser,
  id: string,
): Promise<OnboardingCheckoutsTable> {
  const row = await findOwnCheckout(platform, user.id, id);
  if (row === undefined) throw checkoutNotFound();
  return row;
}

/**
 * Asks the provider whether a checkout was paid, and has the tenant made if it was, whether or not the provider's event
 * came. Answers the state that it is in then; repeating it does nothing twice. Throws 404, and 503 while the provider
 * cannot be reached.
 */
export async function completeOnboardingCheckout(
  services: OnboardingServices,
  user: AuthenticatedUser,
  id: string,
): Promise<OnboardingCheckoutsTable> {
  const row = await readCheckout(services, user, id);
  return await callProvider(() => readPayment(services, row));
}

/**
 * Ends a checkout that is not paid, so that nobody can pay it any more. Repeated, it answers the same. Throws 404,
 * 409 `ONBOARDING.TRANSITION_INVALID` when it was paid or is over, 503 while the provider cannot be reached.
 */
export async function cancelCheckout(
  services: OnboardingServices,
  user: AuthenticatedUser,
  actor: Actor,
  id: string,
): Promise<OnboardingCheckoutsTable> {
  const before = await readCheckout(services, user, id);
  if (before.status === 'canceled') return before;
  if (!awaitsPayment(before)) throw transitionInvalid();
  await endAtProvider(services, before);
  await services.platform.transaction(async (tx) => {
    const row = await lockCheckout(tx, id);
    if (row?.status !== 'pending') return;
    const at = services.clock.now();
    await updateCheckout(tx, id, { status: 'canceled', updated_at: at });
    await recordTransition(tx, actor, row, 'canceled', at);
  });
  // Whoever paid in the very last moment has paid.
  const after = await completeOnboardingCheckout(services, user, id);
  if (after.status !== 'canceled') throw transitionInvalid();
  return after;
}

async function endAtProvider(services: OnboardingServices, row: OnboardingCheckoutsTable): Promise<void> {
  const { provider_checkout_id: checkoutId } = row;
  if (checkoutId !== null) await callProvider(() => providerOf(services, row).expireCheckout(checkoutId));
}

/** The one answer for a checkout that does not exist and for another user's. */
function checkoutNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such checkout. List your checkouts to find its id.');
}

function tooManyOpen(): AppError {
  const message = `You have ${openMost} checkouts that are not over. Pay one of them, or cancel one, and begin again.`;
  return new AppError('ONBOARDING.TOO_MANY_OPEN', message);
}

function noProvider(): AppError {
  const message = 'Nothing can be bought here: no payment provider is set up. Choose a plan that costs nothing.';
  return new AppError('ONBOARDING.NO_PROVIDER', message);
}

function transitionInvalid(): AppError {
  const message = 'Only a checkout that is not paid can be canceled. Read it to see its state.';
  return new AppError('ONBOARDING.TRANSITION_INVALID', message);
}
