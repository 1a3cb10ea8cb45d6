import { Alert, Stack, Text } from '@mantine/core';
import { Clock } from 'lucide-react';
import type { BillingOverview } from '../../api/billing.ts';
import { MoneyText } from '../../components/MoneyText.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import type { Surface } from '../../surfaces.ts';
import { PortalButton } from './PortalButton.tsx';

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
      title={has_payment_method ? 'You are in your free trial' : 'Add a payment method to keep your plan'}
    >
      <Stack gap="sm" align="flex-start" c="var(--mantine-color-text)">
        <Text size="md" maw={720}>
          Your trial of {plan.name} ends on{' '}
          <b>
            <TimeText value={trial_ends_at} format="date" />
          </b>
          .{' '}
          {has_payment_method ? (
            <>
              Then your card is charged for the first period: <MoneyText amount={amount} currency={currency} /> before
              discount and tax. Until then you can cancel at no cost.
            </>
          ) : (
            'Without a payment method, the tenant has the plan Free from then on, with its lower limits. Nothing that exists is deleted, and nothing is charged before the trial ends.'
          )}
        </Text>
        {!has_payment_method && <PortalButton surface={surface} label="Add payment method" isPrimary />}
      </Stack>
    </Alert>
  );
}
