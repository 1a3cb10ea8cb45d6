import { Text } from '@mantine/core';
import type { License } from '../api/licenses.ts';
import { count } from '../lib/text.ts';
import { TimeText } from './TimeText.tsx';
import lines from './TwoLines.module.css';

/** A term that has not begun. */
type PendingTerm = NonNullable<License['pending_term']>;

/** Returns the length of a term: `14 days`, `1 year`, `18 months`. */
export function termLength(days: number | null, months: number | null): string {
  if (months === null) return count(days ?? 0, 'day');
  return months % 12 === 0 ? count(months / 12, 'year') : count(months, 'month');
}

/** Returns when a license ends whose term has not begun: `14 days after first use`. */
export function pendingTermText({ begins_with, duration_days, duration_months }: PendingTerm): string {
  const first = begins_with === 'first_validation' ? 'first use' : 'first activation';
  return `${termLength(duration_days, duration_months)} after ${first}`;
}

interface ExpiryTextProps {
  readonly license: Pick<License, 'expires_at' | 'pending_term'>;
}

/** The end of a license: the day, and its distance below it. */
export function ExpiryText({ license: { expires_at, pending_term } }: ExpiryTextProps) {
  if (expires_at === null) {
    return (
      <Text span inherit c="dimmed">
        {pending_term == null ? 'Never expires' : pendingTermText(pending_term)}
      </Text>
    );
  }
  return (
    <span className={lines['lines']}>
      <TimeText value={expires_at} format="date" />
      <span className={lines['second']}>
        <TimeText value={expires_at} format="relative" />
      </span>
    </span>
  );
}
