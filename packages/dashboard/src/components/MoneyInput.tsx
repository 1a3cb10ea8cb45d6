import { TextInput, type TextInputProps } from '@mantine/core';
import { moneyText } from '../lib/money.ts';

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
