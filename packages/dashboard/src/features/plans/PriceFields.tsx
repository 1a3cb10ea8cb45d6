import { ActionIcon, Button, Fieldset, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { MoneyInput } from '../../components/Money.tsx';
import type { PriceValue } from './plan-values.ts';

interface PriceFieldsProps {
  readonly prices: readonly PriceValue[];
  readonly error: ReactNode;
  readonly onChange: (prices: PriceValue[]) => void;
}

/** The prices of a plan: one per interval and currency, entered as money. */
export function PriceFields({ prices, error, onChange }: PriceFieldsProps) {
  const replace = (index: number, changes: Partial<PriceValue>) =>
    onChange(prices.map((price, at) => (at === index ? { ...price, ...changes } : price)));
  const add = () => {
    const last = prices.at(-1);
    onChange([
      ...prices,
      {
        interval: last?.interval === 'month' ? 'year' : 'month',
        currency: last?.currency ?? 'usd',
        amount: '',
        trial_days: last?.trial_days ?? '',
      },
    ]);
  };
  return (
    <Fieldset legend="Prices">
      <Stack gap="md">
        {prices.length === 0 && (
          <Text size="sm" c="dimmed">
            A plan without a price cannot be bought; admins can still assign it.
          </Text>
        )}
        {prices.map((price, index) => (
          <PriceRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while it is edited.
            key={index}
            price={price}
            number={index + 1}
            onChange={(changes) => replace(index, changes)}
            onRemove={() => onChange(prices.filter((_, at) => at !== index))}
          />
        ))}
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        <Button
          variant="default"
          leftSection={<Plus size={15} aria-hidden="true" />}
          onClick={add}
          style={{ alignSelf: 'flex-start' }}
        >
          Add price
        </Button>
      </Stack>
    </Fieldset>
  );
}

interface PriceRowProps {
  readonly price: PriceValue;
  readonly number: number;
  readonly onChange: (changes: Partial<PriceValue>) => void;
  readonly onRemove: () => void;
}

function PriceRow({ price, number, onChange, onRemove }: PriceRowProps) {
  const { interval, currency, amount, trial_days } = price;
  return (
    <Stack gap={6} role="group" aria-label={`Price ${number}`}>
      <Group gap="xs" wrap="nowrap">
        <MoneyInput
          aria-label="Amount"
          currency={currency}
          value={amount}
          onChange={(value) => onChange({ amount: value })}
          style={{ flex: 1 }}
        />
        <TextInput
          aria-label="Currency"
          maxLength={3}
          value={currency.toUpperCase()}
          onChange={({ currentTarget }) => onChange({ currency: currentTarget.value.toLowerCase() })}
          w={72}
        />
        <ActionIcon size="lg" aria-label={`Remove price ${number}`} onClick={onRemove}>
          <Trash2 size={15} aria-hidden="true" />
        </ActionIcon>
      </Group>
      <Group gap="xs" wrap="nowrap" pr={42}>
        <Select
          aria-label="Interval"
          data={[
            { value: 'month', label: 'per month' },
            { value: 'year', label: 'per year' },
          ]}
          value={interval}
          onChange={(value) => onChange({ interval: value === 'year' ? 'year' : 'month' })}
          allowDeselect={false}
          style={{ flex: 1 }}
        />
        <NumberInput
          aria-label="Trial days"
          placeholder="No trial"
          suffix={Number(trial_days) === 1 ? ' day free' : ' days free'}
          min={0}
          max={730}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          style={{ flex: 1 }}
          value={trial_days}
          onChange={(value) => onChange({ trial_days: value })}
        />
      </Group>
    </Stack>
  );
}
