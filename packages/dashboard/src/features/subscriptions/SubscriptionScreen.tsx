import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AdminSubscription, subscriptionQuery } from '../../api/commerce.ts';
import { toProblem } from '../../api/problem.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { MoneyText } from '../../components/MoneyText.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { words } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { InvoicesOfTenant } from '../invoices/InvoicesOfTenant.tsx';

/** One subscription, its state at the payment provider, and the tenant's invoices. */
export function SubscriptionScreen({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(subscriptionQuery(id));
  const parent = { label: 'Subscriptions', to: '/subscriptions' };
  if (data === undefined) {
    return (
      <Page title="Subscription" parent={parent}>
        {error === null ? (
          <Skeleton h={320} />
        ) : (
          <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  const title = `Subscription of ${data.tenant_name}`;
  return (
    <Page
      title={title}
      heading={<DetailHeader name={title} badges={<StatusBadge status={data.status} />} />}
      parent={parent}
    >
      <Stack gap="md">
        <Section title="Terms">
          <Facts items={termsOf(data)} />
        </Section>
        <Section
          title="Payment provider"
          description="The subscription mirrors the provider's. The service reads it again after each event, and daily."
        >
          <Facts
            items={[
              { label: 'Provider', value: words(data.provider) },
              {
                label: 'Id at the provider',
                value: <CopyableText value={data.provider_subscription_id} label="provider id" maxLength={24} />,
              },
              { label: 'Last read', value: <TimeText value={data.synced_at} fallback="Never" /> },
            ]}
          />
        </Section>
        <InvoicesOfTenant tenantId={data.tenant_id} />
      </Stack>
    </Page>
  );
}

function termsOf(subscription: AdminSubscription) {
  const { tenant_id, tenant_name, plan_code, amount, currency, interval, pending_change } = subscription;
  const { current_period_starts_at, current_period_ends_at, cancel_at_period_end, canceled_at } = subscription;
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
      value: cancel_at_period_end ? 'Ends' : canceled_at === null ? 'Renews' : 'Has ended',
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
