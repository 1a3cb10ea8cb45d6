import { Group, NumberInput, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** A unit of a measure, as a noun: `day`. */
export interface Unit {
  readonly noun: string;
  /** Its size in the unit in which the value is stored. */
  readonly size: number;
}

interface MeasureInputProps {
  readonly label: string;
  readonly description?: ReactNode;
  /** What an empty field means. */
  readonly placeholder?: string;
  readonly error?: ReactNode;
  /** The largest first. */
  readonly units: readonly Unit[];
  /** The unit of an empty field. */
  readonly emptyUnit: string;
  /** In the unit in which it is stored; empty: none. */
  readonly value: number | '';
  readonly onChange: (value: number | '') => void;
}

/** A number with a unit that the person chooses, such as "1 hour", for a value that is stored in one unit. */
export function MeasureInput({ units, emptyUnit, value, onChange, ...props }: MeasureInputProps) {
  const [chosen, setChosen] = useState<Unit>();
  const divides = (unit: Unit) => value === '' || value % unit.size === 0;
  const fitting = (value === '' ? units.find(({ noun }) => noun === emptyUnit) : units.find(divides)) ?? units.at(-1);
  const unit = chosen !== undefined && divides(chosen) ? chosen : fitting;
  if (unit === undefined) return null;
  return (
    <AmountInput
      {...props}
      nouns={units.map(({ noun }) => noun)}
      noun={unit.noun}
      amount={value === '' ? '' : value / unit.size}
      onChange={(amount, noun) => {
        const next = units.find((one) => one.noun === noun) ?? unit;
        // The person types in this unit: 60 minutes do not become an hour under the cursor.
        setChosen(next);
        onChange(amount === '' ? '' : amount * next.size);
      }}
    />
  );
}

interface AmountInputProps extends Omit<MeasureInputProps, 'units' | 'emptyUnit' | 'value' | 'onChange'> {
  readonly nouns: readonly string[];
  readonly noun: string;
  readonly amount: number | '';
  readonly onChange: (amount: number | '', noun: string) => void;
}

/** A whole number beside the choice of its unit. */
export function AmountInput({ label, nouns, noun, amount, onChange, ...props }: AmountInputProps) {
  const [only] = nouns.length === 1 ? nouns : [];
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <NumberInput
        label={label}
        flex="1 1 0"
        miw={0}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        {...props}
        {...(only !== undefined && {
          rightSection: <span aria-hidden="true">{plural(only, amount)}</span>,
          rightSectionWidth: 64,
          rightSectionPointerEvents: 'none',
        })}
        value={amount}
        onChange={(next) => onChange(next === '' ? '' : Number(next), noun)}
      />
      {only === undefined && (
        <Select
          aria-label={`Unit of ${label.toLowerCase()}`}
          // An empty label, so that both fields are on one line.
          label={'\u00a0'}
          labelProps={{ 'aria-hidden': true }}
          w={108}
          data={nouns.map((one) => ({ value: one, label: plural(one, amount) }))}
          allowDeselect={false}
          value={noun}
          onChange={(next) => onChange(amount, next ?? noun)}
        />
      )}
    </Group>
  );
}

function plural(noun: string, amount: number | ''): string {
  return amount === 1 ? noun : `${noun}s`;
}
