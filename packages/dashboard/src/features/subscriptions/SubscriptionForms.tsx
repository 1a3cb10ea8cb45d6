import { Autocomplete, Radio, SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  type AdminSubscription,
  adminPlansQuery,
  applyCoupon,
  cancelSubscription,
  changeSubscriptionPlan,
  commerceKey,
  couponsQuery,
  extendTrial,
} from '../../api/commerce.ts';
import { ExpiryInput, expiryOf, expiryText } from '../../components/ExpiryInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { formatMoney } from '../../lib/text.ts';
import { formatDate } from '../../lib/time.ts';
import { couponText, DiscountText } from '../coupons/coupon-terms.tsx';
import { priceOf, priceText } from '../plans/plan-terms.ts';

/** What each dialog about a subscription gets. */
interface SubscriptionFormProps {
  readonly subscription: AdminSubscription;
}

/** Changes the plan of a subscription at once, and says what that costs. */
export function ChangePlanForm({ subscription }: SubscriptionFormProps) {
  const { id, currency, plan_code, interval, amount } = subscription;
  const { data } = useQuery(adminPlansQuery({ archived: false, limit: 100 }));
  const resource = useResourceForm({
    initialValues: { plan_code: null as string | null, interval, prorate: true },
    validate: {
      plan_code: (value, values) =>
        value === null || (value === plan_code && values.interval === interval)
          ? 'Choose another plan or interval.'
          : null,
    },
    submit: (values) =>
      changeSubscriptionPlan(id, { ...values, plan_code: values.plan_code ?? plan_code, prorate: isProrated(values) }),
    invalidates: [commerceKey],
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
    <ResourceFormBody resource={resource} submitLabel="Change plan">
      <Text>
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
        description={`These plans are available in ${currency.toUpperCase()} per ${values.interval}.`}
        placeholder="Choose a plan"
        required
        searchable
        nothingFoundMessage="No plans are available."
        data={sold.map(({ code, name }) => ({ value: code, label: name }))}
        {...form.getInputProps('plan_code')}
      />
      <Switch
        label="Charge or credit the difference now"
        description="This applies to the rest of the period. Otherwise, the new price applies from the next period."
        checked={isProrated(values)}
        disabled={isOtherInterval(values)}
        onChange={({ currentTarget }) => form.setFieldValue('prorate', currentTarget.checked)}
        error={form.errors['prorate']}
      />
      <Stack role="status" gap={0}>
        {wanted !== undefined && price !== undefined && (
          <Text>
            {wanted.name} with its limits starts at once, for {priceText(price)}.{' '}
            {isProrated(values)
              ? isOtherInterval(values)
                ? 'A new period starts and is charged now, less the remaining value of the current period.'
                : 'The difference for the rest of the period is charged or credited now.'
              : `The customer is not charged before ${formatDate(subscription.current_period_ends_at)}.`}
          </Text>
        )}
      </Stack>
    </ResourceFormBody>
  );
}

/** Ends a subscription, and says what that means for the tenant. */
export function CancelForm({ subscription }: SubscriptionFormProps) {
  const { id, tenant_name, plan_code, current_period_ends_at, status } = subscription;
  const resource = useResourceForm({
    initialValues: { at_period_end: 'true' },
    submit: ({ at_period_end }) => cancelSubscription(id, { at_period_end: at_period_end === 'true' }),
    invalidates: [commerceKey],
  });
  const { form } = resource;
  const end = formatDate(current_period_ends_at);
  const isNow = form.values.at_period_end === 'false';
  return (
    <ResourceFormBody
      resource={resource}
      submitLabel={isNow ? 'Cancel now' : `Cancel on ${end}`}
      isDangerous
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
            description="The rest of the period is not refunded. You can refund an invoice separately. You cannot undo this."
          />
        </Stack>
      </Radio.Group>
      <Text role="status">
        {isNow
          ? `${tenant_name} moves to the Free plan immediately.`
          : `${tenant_name} moves to the Free plan on ${end}.`}{' '}
        Above the limits of that plan, new licenses, devices and members are refused. Nothing is deleted.
      </Text>
    </ResourceFormBody>
  );
}

const weekMs = 7 * 86_400_000;

/** Moves the end of a running trial. */
export function ExtendTrialForm({ subscription }: SubscriptionFormProps) {
  const { id, trial_ends_at, has_payment_method } = subscription;
  const endsAt = trial_ends_at ?? subscription.current_period_ends_at;
  const resource = useResourceForm({
    initialValues: { trial_ends_at: expiryText(new Date(Date.parse(endsAt) + weekMs).toISOString()) },
    validate: {
      trial_ends_at: (value) => {
        if (value === '') return 'Enter a time.';
        return Date.parse(value) > Date.parse(endsAt) ? null : 'Enter a time after the current end of the trial.';
      },
    },
    submit: (values) => extendTrial(id, { trial_ends_at: expiryOf(values.trial_ends_at) ?? endsAt }),
    invalidates: [commerceKey],
  });
  return (
    <ResourceFormBody resource={resource} submitLabel="Extend trial">
      <Text>
        The trial ends on <TimeText value={endsAt} />. The customer is not charged before the new end, and gets a
        reminder 3 days before it.{' '}
        {has_payment_method
          ? 'The first payment is due then.'
          : 'Without a payment method, the tenant then moves to the Free plan.'}
      </Text>
      <ExpiryInput
        label="Trial ends at"
        description="Enter the time in your time zone."
        required
        data-autofocus
        {...resource.form.getInputProps('trial_ends_at')}
      />
    </ResourceFormBody>
  );
}

/** Redeems a coupon for a subscription. Codes that are not among the suggestions can be typed as well. */
export function ApplyCouponForm({ subscription }: SubscriptionFormProps) {
  const { id, discount, currency } = subscription;
  const { data } = useQuery(couponsQuery({ archived: false, limit: 100 }));
  const fitting = (data?.data ?? []).filter((coupon) => coupon.currency === null || coupon.currency === currency);
  const resource = useResourceForm({
    initialValues: { coupon: '' },
    validate: { coupon: (value) => (value.trim() === '' ? 'Enter the code of a coupon.' : null) },
    submit: ({ coupon }) => applyCoupon(id, { coupon: coupon.trim() }),
    fieldsOfCodes: { 'COUPON.NOT_REDEEMABLE': 'coupon' },
    invalidates: [commerceKey],
  });
  const { form } = resource;
  const chosen = fitting.find(({ code }) => code === form.values.coupon.trim().toUpperCase());
  return (
    <ResourceFormBody resource={resource} submitLabel="Apply coupon">
      {discount !== null && (
        <Text>
          It replaces the present discount: <DiscountText discount={discount} currency={currency} />.
        </Text>
      )}
      <Autocomplete
        label="Coupon"
        description="The discount applies to future invoices. Finalized invoices do not change."
        size="sm"
        required
        data={fitting.map(({ code }) => code)}
        renderOption={({ option }) => {
          const coupon = fitting.find(({ code }) => code === option.value);
          return (
            <div>
              <Text>{option.value}</Text>
              <Hint>{coupon && couponText(coupon)}</Hint>
            </div>
          );
        }}
        data-autofocus
        {...form.getInputProps('coupon')}
      />
      <Text role="status">{chosen && `${chosen.name}: ${couponText(chosen)}.`}</Text>
    </ResourceFormBody>
  );
}
