import { Button } from '@mantine/core';
import { useState } from 'react';
import { type AdminSubscription, commerceKey, resumeSubscription } from '../../api/commerce.ts';
import { ConfirmDialog, FormDialog } from '../../components/ConfirmDialog.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatMoney } from '../../lib/text.ts';
import { formatDate } from '../../lib/time.ts';
import { ApplyCouponForm, CancelForm, ChangePlanForm, ExtendTrialForm } from './SubscriptionForms.tsx';

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
export function SubscriptionActions({ subscription }: { readonly subscription: AdminSubscription }) {
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
        {opened !== null && <opened.Form subscription={subscription} onClose={close} />}
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
  const resume = useAction({ run: () => resumeSubscription(id), invalidates: [commerceKey] });
  return (
    <ConfirmDialog
      title="Resume subscription"
      isDangerous={false}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => resume.mutateAsync()}
    >
      The subscription of {tenant_name} does not end any more. It renews on {formatDate(current_period_ends_at)} for{' '}
      {formatMoney(amount, currency)} per {interval}, and on.
    </ConfirmDialog>
  );
}
