import { Autocomplete, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { couponsQuery } from '../../api/coupons.ts';
import { applyCoupon } from '../../api/subscription-actions.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { couponText } from '../coupons/coupon-terms.ts';
import { DiscountText } from '../coupons/DiscountText.tsx';
import { type SubscriptionFormProps, useSubscriptionForm } from './use-subscription-form.ts';

/** Redeems a coupon for a subscription. Codes that are not among the suggestions can be typed as well. */
export function ApplyCouponForm({ subscription, onClose }: SubscriptionFormProps) {
  const { id, discount, currency } = subscription;
  const { data } = useQuery(couponsQuery({ archived: false, limit: 100 }));
  const fitting = (data?.data ?? []).filter((coupon) => coupon.currency === null || coupon.currency === currency);
  const resource = useSubscriptionForm({
    initialValues: { coupon: '' },
    validate: { coupon: (value) => (value.trim() === '' ? 'Enter the code of a coupon.' : null) },
    submit: ({ coupon }) => applyCoupon(id, { coupon: coupon.trim() }),
    fieldsOfCodes: { 'COUPON.NOT_REDEEMABLE': 'coupon' },
    onClose,
  });
  const { form } = resource;
  const chosen = fitting.find(({ code }) => code === form.values.coupon.trim().toUpperCase());
  return (
    <ResourceFormBody resource={resource} submitLabel="Apply coupon" onCancel={onClose}>
      {discount !== null && (
        <Text size="md">
          It replaces the present discount: <DiscountText discount={discount} currency={currency} />.
        </Text>
      )}
      <Autocomplete
        label="Coupon"
        description="It lowers future invoices, not those that are final."
        size="sm"
        required
        data={fitting.map(({ code }) => code)}
        renderOption={({ option }) => {
          const coupon = fitting.find(({ code }) => code === option.value);
          return (
            <div>
              <Text size="md">{option.value}</Text>
              <Text size="sm" c="dimmed">
                {coupon && couponText(coupon)}
              </Text>
            </div>
          );
        }}
        data-autofocus
        {...form.getInputProps('coupon')}
      />
      <Text size="md" role="status">
        {chosen && `${chosen.name}: ${couponText(chosen)}.`}
      </Text>
    </ResourceFormBody>
  );
}
