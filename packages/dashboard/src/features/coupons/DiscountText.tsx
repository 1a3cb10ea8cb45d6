import { Text } from '@mantine/core';
import type { Subscription } from '../../api/billing.ts';
import { TimeText } from '../../components/TimeText.tsx';
import { valueText } from './coupon-terms.ts';

interface DiscountTextProps {
  readonly discount: NonNullable<Subscription['discount']>;
  /** The currency of the subscription. */
  readonly currency: string;
}

/** What a discount takes off, until when, and the coupon that it comes from. */
export function DiscountText({ discount, currency }: DiscountTextProps) {
  const { coupon, percent_off, amount_off, duration, ends_at } = discount;
  return (
    <>
      {valueText({ percent_off, amount_off, currency })}
      {duration === 'once' && ' the next invoice'}
      {duration === 'forever' && ' every invoice'}
      {duration === 'repeating' && (
        <>
          {' '}
          until <TimeText value={ends_at} format="date" />
        </>
      )}{' '}
      <Text span c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        (coupon {coupon})
      </Text>
    </>
  );
}
