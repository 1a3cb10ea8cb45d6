import { Radio, Stack, Text } from '@mantine/core';
import { cancelSubscription } from '../../api/subscription-actions.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { formatDate } from '../../lib/time.ts';
import { type SubscriptionFormProps, useSubscriptionForm } from './use-subscription-form.ts';

/** Ends a subscription, and says what that means for the tenant. */
export function CancelForm({ subscription, onClose }: SubscriptionFormProps) {
  const { id, tenant_name, plan_code, current_period_ends_at, status } = subscription;
  const resource = useSubscriptionForm({
    initialValues: { at_period_end: 'true' },
    submit: ({ at_period_end }) => cancelSubscription(id, { at_period_end: at_period_end === 'true' }),
    onClose,
  });
  const { form } = resource;
  const end = formatDate(current_period_ends_at);
  const isNow = form.values.at_period_end === 'false';
  return (
    <ResourceFormBody
      resource={resource}
      submitLabel={isNow ? 'Cancel now' : `Cancel on ${end}`}
      isDangerous
      onCancel={onClose}
      cancelLabel="Keep subscription"
    >
      <Radio.Group label="When does it end?" {...form.getInputProps('at_period_end')}>
        <Stack gap="sm" mt="xs">
          <Radio
            value="true"
            label={status === 'trialing' ? `With the trial, on ${end}` : `With the paid period, on ${end}`}
            description={`${tenant_name} keeps ${plan_code} until then, and can resume the subscription.`}
            data-autofocus
          />
          <Radio
            value="false"
            label="Now"
            description="The rest of the period is not paid back, and it cannot be undone. Refund an invoice to pay it back."
          />
        </Stack>
      </Radio.Group>
      <Text size="md" role="status">
        {isNow ? 'At once' : `From ${end} on`}, {tenant_name} has the plan Free. Its lower limits refuse new licenses,
        activations and members. Nothing that exists is deleted.
      </Text>
    </ResourceFormBody>
  );
}
