import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AdminSubscription, subscriptionQuery } from '../../api/commerce.ts';
import { toProblem } from '../../api/problem.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { formatMoney, words } from '../../lib/text.ts';
import { useAdminRole } from '../../shell/PlatformArea.tsx';
import { allowsBillingWrites } from '../../surfaces.ts';
import { InvoicesOfTenant } from '../invoices/InvoicesOfTenant.tsx';
import { SubscriptionActions } from './SubscriptionActions.tsx';
import { termsOf } from './terms.tsx';

const ended: readonly AdminSubscription['status'][] = ['canceled', 'incomplete_expired'];

/** One subscription with the actions on it, its state at the payment provider, and the tenant's invoices. */
export function SubscriptionScreen({ id }: { readonly id: string }): ReactNode {
  const mayWrite = allowsBillingWrites(useAdminRole());
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
  const isLive = !ended.includes(data.status);
  const title = `Subscription of ${data.tenant_name}`;
  return (
    <Page
      title={title}
      heading={<DetailHeader name={title} badges={<StatusBadge status={data.status} />} />}
      parent={parent}
      actions={isLive && mayWrite && <SubscriptionActions subscription={data} />}
    >
      <Stack gap="md">
        {isLive && !mayWrite && (
          <Text size="sm" c="dimmed">
            Changing a subscription needs the role billing admin or super admin.
          </Text>
        )}
        <TrialNote subscription={data} />
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

/** What follows a trial, which depends on the payment method. */
function TrialNote({ subscription }: { readonly subscription: AdminSubscription }) {
  const { status, trial_ends_at, has_payment_method, cancel_at_period_end, amount, currency } = subscription;
  if (status !== 'trialing' || trial_ends_at === null) return null;
  const isFollowedByPayment = has_payment_method && !cancel_at_period_end;
  return (
    <Alert role="status" color={isFollowedByPayment ? 'blue' : 'yellow'}>
      <Text size="md" c="var(--mantine-color-text)">
        The trial ends on <TimeText value={trial_ends_at} />.{' '}
        {isFollowedByPayment
          ? `Then the card on file is charged, for ${formatMoney(amount, currency)} before discount and tax.`
          : cancel_at_period_end
            ? 'The subscription was canceled: then the tenant has the plan Free, and nothing is charged.'
            : 'There is no payment method: unless the customer adds one, the tenant has the plan Free then.'}
      </Text>
    </Alert>
  );
}
