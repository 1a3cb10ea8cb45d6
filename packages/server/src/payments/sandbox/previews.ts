import { type CostPreview, PaymentProviderError, type PlanPrice } from '../provider.ts';
import { notFound } from './accounts.ts';
import { amountDueOf, amountsOf, type Charge } from './amounts.ts';
import { readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { assertPrice } from './price.ts';
import { chargeOfChange, chargeOfPeriod, nextPeriod } from './proration.ts';
import { type Account, locationOf } from './state.ts';
import { findAccount } from './store.ts';
import { isOver } from './subscription.ts';

async function readSubscriber({ platform }: SandboxContext, subscriptionId: string) {
  const account = await findAccount(platform.query, { subscription_id: subscriptionId });
  if (!account?.subscription) throw notFound('subscription');
  return { account, subscription: account.subscription };
}

function preview(
  { taxRules: rules }: SandboxContext,
  { details, balance }: Account,
  { currency, charge, at }: { readonly currency: string; readonly charge: Charge; readonly at: string },
): CostPreview {
  const { total, discount, tax } = amountsOf(charge, { location: locationOf(details), rules });
  const amountDue = amountDueOf(total, balance[currency] ?? 0);
  return { currency, amountDue, discount, tax, at, lines: charge.lines };
}

/** Implements `previewChange` of the provider. */
export async function previewSandboxChange(
  context: SandboxContext,
  subscriptionId: string,
  price: PlanPrice,
): Promise<CostPreview> {
  assertPrice(price);
  const { account, subscription } = await readSubscriber(context, subscriptionId);
  const { currency } = price;
  if (isOver(subscription) || subscription.price.currency !== currency) {
    throw new PaymentProviderError(
      'refused',
      'The subscription has ended, or its currency differs from that of the price.',
    );
  }
  const at = await readNow(context.platform.query, context.clock);
  if (subscription.status === 'trialing') return { currency, amountDue: 0, discount: 0, tax: 0, at, lines: [] };
  return preview(context, account, { currency, charge: chargeOfChange(subscription, price, at), at });
}

/** Implements `previewRenewal` of the provider. */
export async function previewSandboxRenewal(
  context: SandboxContext,
  subscriptionId: string,
): Promise<CostPreview | undefined> {
  const { account, subscription } = await readSubscriber(context, subscriptionId);
  const endsWithTrial = subscription.status === 'trialing' && account.card === null;
  if (isOver(subscription) || subscription.cancelAtPeriodEnd || endsWithTrial) return undefined;
  const { price, startsAt: at, endsAt } = nextPeriod(subscription);
  return preview(context, account, {
    currency: price.currency,
    charge: chargeOfPeriod(subscription, price, at, endsAt),
    at,
  });
}
