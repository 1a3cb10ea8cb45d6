import { Group, SegmentedControl, Select } from '@mantine/core';
import type { BillingInterval } from '../../api/onboarding.ts';
import { Hint } from '../../components/Texts.tsx';
import { formatShare } from '../../lib/text.ts';

interface TermControlsProps {
  readonly interval: BillingInterval;
  readonly onInterval: (interval: BillingInterval) => void;
  /** What the yearly payment saves at most, in percent; 0 says nothing. */
  readonly savingPercent: number;
  readonly currencies: readonly string[];
  readonly currency: string | undefined;
  readonly onCurrency: (currency: string) => void;
}

/** The choice between monthly and yearly payment, and of the currency where there are several. */
export function TermControls(props: TermControlsProps) {
  const { interval, onInterval, savingPercent, currencies, currency, onCurrency } = props;
  return (
    <Group gap="sm">
      <SegmentedControl
        aria-label="Billing period"
        value={interval}
        onChange={(value) => onInterval(value === 'year' ? 'year' : 'month')}
        data={[
          { value: 'month', label: 'Monthly' },
          { value: 'year', label: 'Yearly' },
        ]}
      />
      {savingPercent > 0 && <Hint>Yearly saves up to {formatShare(savingPercent / 100)}</Hint>}
      {currencies.length > 1 && (
        <Select
          aria-label="Currency"
          data={currencies.map((value) => ({ value, label: value.toUpperCase() }))}
          value={currency ?? null}
          onChange={(value) => value !== null && onCurrency(value)}
          allowDeselect={false}
          w={96}
        />
      )}
    </Group>
  );
}
