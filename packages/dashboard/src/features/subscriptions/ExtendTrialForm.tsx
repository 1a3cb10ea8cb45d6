import { Text } from '@mantine/core';
import { extendTrial } from '../../api/subscription-actions.ts';
import { ExpiryInput, expiryOf, expiryText } from '../../components/ExpiryInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { type SubscriptionFormProps, useSubscriptionForm } from './use-subscription-form.ts';

const weekMs = 7 * 86_400_000;

/** Moves the end of a running trial. */
export function ExtendTrialForm({ subscription, onClose }: SubscriptionFormProps) {
  const { id, trial_ends_at, has_payment_method } = subscription;
  const endsAt = trial_ends_at ?? subscription.current_period_ends_at;
  const resource = useSubscriptionForm({
    initialValues: { trial_ends_at: expiryText(new Date(Date.parse(endsAt) + weekMs).toISOString()) },
    validate: {
      trial_ends_at: (value) => {
        if (value === '') return 'Enter a time.';
        return Date.parse(value) > Date.parse(endsAt) ? null : 'Enter a time after the present end.';
      },
    },
    submit: (values) => extendTrial(id, { trial_ends_at: expiryOf(values.trial_ends_at) ?? endsAt }),
    onClose,
  });
  return (
    <ResourceFormBody resource={resource} submitLabel="Extend trial" onCancel={onClose}>
      <Text size="md">
        The trial ends on <TimeText value={endsAt} />. Until the new end nothing is charged, and the customer is
        reminded 3 days before it.{' '}
        {has_payment_method
          ? 'The first payment follows then.'
          : 'Without a payment method, the tenant has the plan Free then.'}
      </Text>
      <ExpiryInput
        label="Trial ends at"
        description="In your time zone."
        required
        data-autofocus
        {...resource.form.getInputProps('trial_ends_at')}
      />
    </ResourceFormBody>
  );
}
