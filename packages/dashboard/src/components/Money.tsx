import { Text, TextInput, type TextInputProps } from '@mantine/core';
import { moneyText } from '../lib/money.ts';
import { formatMoney } from '../lib/text.ts';

interface MoneyInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The amount as the person writes it; `parseMoney` reads it exactly. A number would lose digits. */
  readonly value?: string;
  readonly onChange?: (text: string) => void;
  /** The code of the currency, which defines the decimal places. */
  readonly currency: string;
}

/** A field for an amount of money in units of its currency. */
export function MoneyInput({ currency, onChange, ...props }: MoneyInputProps) {
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      maxLength={20}
      placeholder={moneyText(0, currency)}
      styles={{ input: { fontVariantNumeric: 'tabular-nums' } }}
      onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
      {...props}
    />
  );
}

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
