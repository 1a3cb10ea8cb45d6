import { Anchor } from '@mantine/core';
import type { AdminSubscription } from '../../api/commerce.ts';
import { MoneyText } from '../../components/MoneyText.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { PathLink } from '../../shell/PathLink.tsx';
import { DiscountText } from '../coupons/DiscountText.tsx';

/** Returns the terms of a subscription as the facts of its page. */
export function termsOf(subscription: AdminSubscription) {
  const { tenant_id, tenant_name, plan_code, amount, currency, interval, pending_change } = subscription;
  const { current_period_starts_at, current_period_ends_at, canceled_at } = subscription;
  const { discount, has_payment_method } = subscription;
  const facts = [
    {
      label: 'Tenant',
      value: (
        <Anchor component={PathLink} to={`/admin/tenants/${tenant_id}`}>
          {tenant_name}
        </Anchor>
      ),
    },
    { label: 'Plan', value: plan_code },
    {
      label: 'Price',
      value: (
        <>
          <MoneyText amount={amount} currency={currency} /> per {interval}
        </>
      ),
    },
    { label: 'Period starts at', value: <TimeText value={current_period_starts_at} /> },
    { label: 'Period ends at', value: <TimeText value={current_period_ends_at} /> },
    {
      label: 'At the end of the period',
      value: whatFollows(subscription),
    },
    {
      label: 'Discount',
      value: discount === null ? 'None' : <DiscountText discount={discount} currency={currency} />,
    },
    {
      label: 'Payment method',
      value: has_payment_method ? 'On file' : 'None on file',
    },
  ];
  const optional = [
    { label: 'Trial ends at', value: subscription.trial_ends_at },
    { label: 'Past due since', value: subscription.past_due_since },
    { label: 'Grace ends at', value: subscription.grace_ends_at },
    { label: 'Canceled at', value: canceled_at },
  ].filter(({ value }) => value !== null);
  return [
    ...facts,
    ...optional.map(({ label, value }) => ({ label, value: <TimeText value={value} /> })),
    ...(pending_change === null
      ? []
      : [
          {
            label: 'Next plan',
            value: (
              <>
                {pending_change.plan_code} on <TimeText value={pending_change.at} format="date" />
              </>
            ),
          },
        ]),
  ];
}

function whatFollows({ cancel_at_period_end, canceled_at, status, has_payment_method }: AdminSubscription): string {
  if (cancel_at_period_end) return 'Ends';
  if (canceled_at !== null) return 'Has ended';
  return status === 'trialing' && !has_payment_method ? 'Ends, unless the customer adds a payment method' : 'Renews';
}
