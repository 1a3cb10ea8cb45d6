import { Text } from '@mantine/core';
import { formatMoney } from '../lib/text.ts';

interface MoneyTextProps {
  /** The amount in the currency's minor unit. */
  readonly amount: number;
  readonly currency: string;
}

/** An amount of money in the reader's locale. */
export function MoneyText({ amount, currency }: MoneyTextProps) {
  return (
    <Text span inherit className="tabular" style={{ whiteSpace: 'nowrap' }}>
      {formatMoney(amount, currency)}
    </Text>
  );
}
