import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import {
  type BillingOverview,
  billingKey,
  changePlan,
  changeSubscription,
  type Subscription,
} from '../../api/billing.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { words } from '../../lib/text.ts';
import { formatDate } from '../../lib/time.ts';
import type { Surface } from '../../surfaces.ts';
import { DiscountText } from '../coupons/coupon-terms.tsx';
import { SubscriptionStatus } from '../subscriptions/SubscriptionStatus.tsx';
import { FreePlanEffect } from './FreePlanEffect.tsx';

interface PlanSectionProps {
  readonly overview: BillingOverview;
  readonly surface: Surface;
  /** A test tenant is free and cannot buy anything. */
  readonly isTest: boolean;
}

/** The plan, its price, and what happens next with it. */
export function PlanSection({ overview, surface, isTest }: PlanSectionProps) {
  const { plan, subscription } = overview;
  return (
    <Section
      title="Plan"
      actions={
        subscription !== null && (
          <SubscriptionActions subscription={subscription} surface={surface} plan={plan} usage={overview.usage} />
        )
      }
    >
      <Stack gap={6}>
        <Group gap="xs">
          <Text size="lg" fw={600}>
            {plan.name}
          </Text>
          {subscription !== null && <SubscriptionStatus subscription={subscription} />}
        </Group>
        {subscription === null ? (
          <Text c="dimmed">
            {isTest
              ? 'A test tenant is free and has limits of its own. Choose a plan in its live tenant.'
              : 'You are on the free plan. Choose another plan when you need more.'}
          </Text>
        ) : (
          <>
            <Text>
              <MoneyText amount={subscription.amount} currency={subscription.currency} /> per {subscription.interval}
            </Text>
            {subscription.discount !== null && (
              <Text>
                Discount: <DiscountText discount={subscription.discount} currency={subscription.currency} />
              </Text>
            )}
            <WhatFollows subscription={subscription} />
            {overview.card !== null && <CardText card={overview.card} />}
          </>
        )}
        {plan.features.length > 0 && <Hint>{plan.features.join(' · ')}</Hint>}
      </Stack>
    </Section>
  );
}

function CardText({ card }: { readonly card: NonNullable<BillingOverview['card']> }) {
  const { brand, last4, exp_month, exp_year } = card;
  const end =
    exp_month === null || exp_year === null ? '' : `, expires ${String(exp_month).padStart(2, '0')}/${exp_year}`;
  return (
    <Text>
      Paid with {brand} •••• {last4}
      {end}
    </Text>
  );
}

function WhatFollows({ subscription }: { readonly subscription: Subscription }) {
  const { cancel_at_period_end, current_period_ends_at: endsAt, pending_change, trial_ends_at, status } = subscription;
  if (cancel_at_period_end) {
    return (
      <Text>
        You canceled the subscription. You keep your plan until <TimeText value={endsAt} format="date" />, then move to
        the Free plan.
      </Text>
    );
  }
  if (pending_change !== null) {
    return (
      <Text>
        Changes to <b>{words(pending_change.plan_code)}</b> (
        <MoneyText amount={pending_change.amount} currency={subscription.currency} /> per {pending_change.interval}) on{' '}
        <TimeText value={pending_change.at} format="date" />.
      </Text>
    );
  }
  if (status === 'trialing' && trial_ends_at !== null) {
    return (
      <Text c="dimmed">
        The trial ends on <TimeText value={trial_ends_at} format="date" />.
      </Text>
    );
  }
  return (
    <Text c="dimmed">
      Renews on <TimeText value={endsAt} format="date" />.
    </Text>
  );
}

interface SubscriptionActionsProps {
  readonly subscription: Subscription;
  readonly surface: Surface;
  readonly plan: BillingOverview['plan'];
  readonly usage: BillingOverview['usage'];
}

function SubscriptionActions({ subscription, surface, plan, usage }: SubscriptionActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const invalidates = [billingKey(surface)];
  const cancellation = useAction({
    run: (cancels: boolean) => changeSubscription(surface, { cancel_at_period_end: cancels }),
    invalidates,
  });
  const keep = useAction({
    run: () => changePlan(surface, { plan_code: subscription.plan_code, interval: subscription.interval }),
    invalidates,
  });
  if (subscription.cancel_at_period_end) {
    return (
      <Button
        variant="default"
        loading={cancellation.isPending}
        onClick={() => cancellation.mutate(false, { onError: showProblem })}
      >
        Resume subscription
      </Button>
    );
  }
  return (
    <>
      {subscription.pending_change !== null && (
        <RunButton action={keep} variant="default">
          Keep {plan.name}
        </RunButton>
      )}
      <Button variant="default" onClick={() => setAsking(true)}>
        Cancel subscription
      </Button>
      <ConfirmDialog
        title="Cancel subscription"
        cancelLabel="Keep subscription"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => cancellation.mutateAsync(true)}
      >
        You keep {plan.name} until {formatDate(subscription.current_period_ends_at)}, then move to the Free plan.{' '}
        <FreePlanEffect usage={usage} />
        Nothing is deleted, and you can resume the subscription until then.
      </ConfirmDialog>
    </>
  );
}
