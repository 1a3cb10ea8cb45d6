import { SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { adminPlansQuery } from '../../api/commerce.ts';
import { changeSubscriptionPlan } from '../../api/subscription-actions.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { formatMoney } from '../../lib/text.ts';
import { formatDate } from '../../lib/time.ts';
import { priceOf, priceText } from '../plans/plan-terms.ts';
import { type SubscriptionFormProps, useSubscriptionForm } from './use-subscription-form.ts';

/** Changes the plan of a subscription at once, and says what that costs. */
export function ChangePlanForm({ subscription, onClose }: SubscriptionFormProps) {
  const { id, currency, plan_code, interval, amount } = subscription;
  const { data } = useQuery(adminPlansQuery({ archived: false, limit: 100 }));
  const resource = useSubscriptionForm({
    initialValues: { plan_code: null as string | null, interval, prorate: true },
    validate: {
      plan_code: (value, values) =>
        value === null || (value === plan_code && values.interval === interval)
          ? 'Choose another plan or interval.'
          : null,
    },
    submit: (values) =>
      changeSubscriptionPlan(id, { ...values, plan_code: values.plan_code ?? plan_code, prorate: isProrated(values) }),
    onClose,
  });
  const { form } = resource;
  const { values } = form;
  /** A change of the interval begins a new period, which is charged at once. */
  const isOtherInterval = (wanted: { interval: string }) => wanted.interval !== interval;
  const isProrated = (wanted: { interval: string; prorate: boolean }) => isOtherInterval(wanted) || wanted.prorate;
  const sold = (data?.data ?? []).filter((plan) => priceOf(plan, values.interval, currency) !== undefined);
  const wanted = sold.find(({ code }) => code === values.plan_code);
  const price = wanted && priceOf(wanted, values.interval, currency);
  return (
    <ResourceFormBody resource={resource} submitLabel="Change plan" onCancel={onClose}>
      <Text size="md">
        Now: {plan_code}, {formatMoney(amount, currency)} per {interval}.
      </Text>
      <SegmentedControl
        aria-label="Interval"
        data={[
          { value: 'month', label: 'Monthly' },
          { value: 'year', label: 'Yearly' },
        ]}
        style={{ alignSelf: 'flex-start' }}
        {...form.getInputProps('interval')}
      />
      <Select
        label="Plan"
        description={`The plans that are sold in ${currency.toUpperCase()} per ${values.interval}.`}
        placeholder="Choose a plan"
        required
        searchable
        nothingFoundMessage="No plan is sold so."
        data={sold.map(({ code, name }) => ({ value: code, label: name }))}
        {...form.getInputProps('plan_code')}
      />
      <Switch
        label="Charge or credit the difference now"
        description="For the rest of the period. Otherwise the new price counts from the next period on."
        checked={isProrated(values)}
        disabled={isOtherInterval(values)}
        onChange={({ currentTarget }) => form.setFieldValue('prorate', currentTarget.checked)}
        error={form.errors['prorate']}
      />
      <Stack role="status" gap={0}>
        {wanted !== undefined && price !== undefined && (
          <Text size="md">
            {wanted.name} with its limits starts at once, for {priceText(price)}.{' '}
            {isProrated(values)
              ? isOtherInterval(values)
                ? 'A new period starts now and is charged now, less what is left of the present one.'
                : 'The difference for the rest of the period is charged or credited now.'
              : `Nothing is charged before ${formatDate(subscription.current_period_ends_at)}.`}
          </Text>
        )}
      </Stack>
    </ResourceFormBody>
  );
}
