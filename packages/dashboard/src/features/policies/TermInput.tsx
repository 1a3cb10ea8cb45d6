import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { AmountInput } from '../../components/MeasureInput.tsx';
import type { PolicyValues } from './values.ts';

const nouns = ['day', 'month', 'year'] as const;
type Noun = (typeof nouns)[number];

/** How long a license is valid: days, or months and years of the calendar, which keep the day of the month. */
export function TermInput({ form }: { readonly form: UseFormReturnType<PolicyValues> }) {
  const { duration_days: days, duration_months: months, ends_with_month } = form.values;
  const [chosen, setChosen] = useState<Noun>('year');
  const noun = nounOf(days, months, chosen);
  const amount = noun === 'day' ? days : months === '' ? '' : noun === 'year' ? months / 12 : months;
  const { duration_days, duration_months } = form.errors;
  return (
    <AmountInput
      label="Valid for"
      placeholder="Forever"
      description={
        ends_with_month
          ? 'The license expires at the end of a month.'
          : noun === 'day'
            ? 'Leave this empty if the license never expires.'
            : 'The license expires on the same day of the month.'
      }
      error={duration_days ?? duration_months}
      nouns={nouns}
      noun={noun}
      amount={amount}
      onChange={(next, nextNoun) => {
        const unit = nouns.find((one) => one === nextNoun) ?? noun;
        setChosen(unit);
        form.clearFieldError('duration_months');
        form.setFieldValue('duration_days', unit === 'day' ? next : '');
        form.setFieldValue('duration_months', unit === 'day' || next === '' ? '' : unit === 'year' ? next * 12 : next);
      }}
    />
  );
}

function nounOf(days: PolicyValues['duration_days'], months: PolicyValues['duration_months'], chosen: Noun): Noun {
  if (days !== '') return 'day';
  if (months === '') return chosen;
  return chosen !== 'month' && months % 12 === 0 ? 'year' : 'month';
}
