import { Alert, Anchor, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type AdminSubscription, commerceKey, resumeSubscription, subscriptionQuery } from '../../api/commerce.ts';
import { ConfirmDialog, FormDialog } from '../../components/ConfirmDialog.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { AlertText, Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { formatMoney, words } from '../../lib/text.ts';
import { formatDate } from '../../lib/time.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useWritesBilling } from '../../shell/PlatformArea.tsx';
import { DiscountText } from '../coupons/coupon-terms.tsx';
import { InvoicesOfTenant } from '../invoices/InvoicesOfTenant.tsx';
import { ApplyCouponForm, CancelForm, ChangePlanForm, ExtendTrialForm } from './SubscriptionForms.tsx';
import { SubscriptionStatus } from './SubscriptionStatus.tsx';

const ended: readonly AdminSubscription['status'][] = ['canceled', 'incomplete_expired'];

/** One subscription with the actions on it, its state at the payment provider, and the tenant's invoices. */
export default function SubscriptionScreen({ subscriptionId: id }: { readonly subscriptionId: string }): ReactNode {
  const mayWrite = useWritesBilling();
  const { data, error, refetch } = useQuery(subscriptionQuery(id));
  const parent = { label: 'Subscriptions', to: '/subscriptions' };
  if (data === undefined) {
    return <UnloadedPage title="Subscription" parent={parent} error={error} refetch={refetch} skeleton={320} />;
  }
  const isLive = !ended.includes(data.status);
  const title = `Subscription of ${data.tenant_name}`;
  return (
    <Page
      title={title}
      badges={<SubscriptionStatus subscription={data} />}
      parent={parent}
      actions={isLive && mayWrite && <SubscriptionActions subscription={data} />}
    >
      <Stack gap="md">
        {isLive && !mayWrite && <Hint>You need the role billing admin or super admin to change a subscription.</Hint>}
        <TrialNote subscription={data} />
        <Section title="Terms">
          <Facts items={termsOf(data)} />
        </Section>
        <Section
          title="Payment provider"
          description="This is a copy of the subscription at the payment provider. The service updates it after each event and once a day."
        >
          <Facts
            items={[
              { label: 'Provider', value: words(data.provider) },
              {
                label: 'ID at the provider',
                value: <CopyableText value={data.provider_subscription_id} label="provider ID" maxLength={24} />,
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
      <AlertText>
        The trial ends on <TimeText value={trial_ends_at} />.{' '}
        {isFollowedByPayment
          ? `The card on file is then charged ${formatMoney(amount, currency)}, before discount and tax.`
          : cancel_at_period_end
            ? 'The subscription was canceled. The tenant then moves to the Free plan and is not charged.'
            : 'There is no payment method. Unless the customer adds one, the tenant then moves to the Free plan.'}
      </AlertText>
    </Alert>
  );
}

/** Returns the terms of a subscription as the facts of its page. */
function termsOf(subscription: AdminSubscription) {
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

const forms = {
  cancel: { title: 'Cancel subscription', Form: CancelForm },
  coupon: { title: 'Apply coupon', Form: ApplyCouponForm },
  trial: { title: 'Extend trial', Form: ExtendTrialForm },
  plan: { title: 'Change plan', Form: ChangePlanForm },
} as const;
type FormName = keyof typeof forms;

/** Returns the actions that the service accepts for a subscription in its state. */
function offeredOf({ status, cancel_at_period_end, pending_change }: AdminSubscription): FormName[] {
  const isTrial = status === 'trialing';
  const isPaid = isTrial || status === 'active';
  return [
    ...(cancel_at_period_end ? [] : (['cancel'] as const)),
    'coupon',
    ...(isTrial ? (['trial'] as const) : []),
    ...(isPaid && !cancel_at_period_end && pending_change === null ? (['plan'] as const) : []),
  ];
}

/** The actions of admins on a subscription that has not ended. */
function SubscriptionActions({ subscription }: { readonly subscription: AdminSubscription }) {
  const [name, setName] = useState<FormName | 'resume' | null>(null);
  const close = () => setName(null);
  const opened = name === null || name === 'resume' ? null : forms[name];
  return (
    <>
      {offeredOf(subscription).map((one) => (
        <Button key={one} variant={one === 'plan' ? 'filled' : 'default'} onClick={() => setName(one)}>
          {forms[one].title}
        </Button>
      ))}
      {subscription.cancel_at_period_end && <Button onClick={() => setName('resume')}>Resume subscription</Button>}
      <FormDialog title={opened?.title ?? ''} isOpen={opened !== null} onClose={close}>
        {opened !== null && <opened.Form subscription={subscription} />}
      </FormDialog>
      <ResumeDialog subscription={subscription} isOpen={name === 'resume'} onClose={close} />
    </>
  );
}

interface ResumeDialogProps {
  readonly subscription: AdminSubscription;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ResumeDialog({ subscription, isOpen, onClose }: ResumeDialogProps) {
  const { id, tenant_name, current_period_ends_at, amount, currency, interval } = subscription;

  return (
    <ConfirmDialog
      title="Resume subscription"
      isDangerous={false}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => resumeSubscription(id)}
      invalidates={[commerceKey]}
    >
      The subscription of {tenant_name} no longer ends. It renews on {formatDate(current_period_ends_at)} for{' '}
      {formatMoney(amount, currency)} per {interval}, and on.
    </ConfirmDialog>
  );
}
