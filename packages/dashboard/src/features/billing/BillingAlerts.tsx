import { Alert, Button, Stack, Text } from '@mantine/core';
import type { BillingOverview, Subscription } from '../../api/billing.ts';
import { MoneyText } from '../../components/Money.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { Clock, TriangleAlert } from '../../icons/icons.gen.ts';
import type { Surface } from '../../surfaces.ts';
import { FreePlanEffect } from './FreePlanEffect.tsx';
import { PortalButton } from './PortalButton.tsx';

interface PastDueAlertProps {
  readonly pastDue: BillingOverview['past_due'];
  readonly subscription: Subscription | null;
}

/** Explains a failed payment: what failed, what still works and until when, and how to pay. */
export function PastDueAlert({ pastDue, subscription }: PastDueAlertProps) {
  if (pastDue === null) {
    return subscription?.status === 'incomplete' ? <IncompleteAlert /> : null;
  }
  const { amount_due, currency, since, grace_ends_at, payment_url, subscription_status } = pastDue;
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<TriangleAlert size={18} aria-hidden="true" />}
      title={subscription_status === 'unpaid' ? 'Your subscription is unpaid' : 'Your last payment failed'}
    >
      <Stack gap="sm" align="flex-start" c="var(--mantine-color-text)">
        <Text maw={720}>
          {amount_due !== null && currency !== null && (
            <>
              <b>
                <MoneyText amount={amount_due} currency={currency} />
              </b>{' '}
              could not be collected
              {since !== null && (
                <>
                  {' '}
                  on <TimeText value={since} format="date" />
                </>
              )}
              .{' '}
            </>
          )}
          {grace_ends_at !== null && (
            <>
              Your licenses keep working until{' '}
              <b>
                <TimeText value={grace_ends_at} />
              </b>
              . After that, the tenant is suspended, and your customers' licenses stop working until the invoice is
              paid.
            </>
          )}
        </Text>
        <Text maw={720}>
          We retry the card over the next days and send you a mail each time. You can also pay now, with this card or
          another one.
        </Text>
        {payment_url !== null && (
          <Button component="a" href={payment_url} color="red">
            Pay now
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function IncompleteAlert() {
  return (
    <Alert role="alert" color="yellow" icon={<TriangleAlert size={18} aria-hidden="true" />}>
      <AlertText>
        The first payment has not arrived yet. The plan starts when it does; some payment methods take days.
      </AlertText>
    </Alert>
  );
}

interface TrialAlertProps {
  readonly overview: BillingOverview;
  readonly surface: Surface;
}

/** Says when the trial ends, what follows, and how to keep the plan. */
export function TrialAlert({ overview, surface }: TrialAlertProps) {
  const { subscription, plan } = overview;
  if (subscription?.status !== 'trialing' || subscription.cancel_at_period_end) return null;
  const { trial_ends_at, has_payment_method, amount, currency } = subscription;
  return (
    <Alert
      role="status"
      color={has_payment_method ? 'blue' : 'yellow'}
      variant="light"
      icon={<Clock size={18} aria-hidden="true" />}
      title={has_payment_method ? 'Your free trial is running' : 'Add a payment method to keep your plan'}
    >
      <Stack gap="sm" align="flex-start" c="var(--mantine-color-text)">
        <Text maw={720}>
          Your trial of {plan.name} ends on{' '}
          <b>
            <TimeText value={trial_ends_at} format="date" />
          </b>
          .{' '}
          {has_payment_method ? (
            <>
              Then your card is charged for the first period: <MoneyText amount={amount} currency={currency} /> before
              discount and tax. You can cancel until then at no cost.
            </>
          ) : (
            <>
              Without a payment method, the tenant then moves to the Free plan.{' '}
              <FreePlanEffect usage={overview.usage} />
              Nothing is deleted, and you are not charged before the trial ends.
            </>
          )}
        </Text>
        {!has_payment_method && <PortalButton surface={surface} label="Add payment method" isPrimary />}
      </Stack>
    </Alert>
  );
}
