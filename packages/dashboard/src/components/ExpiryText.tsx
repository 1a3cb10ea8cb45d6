import type { License } from '../api/licenses.ts';
import { count } from '../lib/text.ts';
import { isNear } from '../lib/time.ts';
import { Dimmed } from './Texts.tsx';
import { TimeText } from './TimeText.tsx';
import lines from './TwoLines.module.css';

/** A term that has not begun. */
type PendingTerm = NonNullable<License['pending_term']>;

/** Returns the length of a term: `14 days`, `1 year`, `18 months`. */
export function termLength(days: number | null, months: number | null): string {
  if (months === null) return count(days ?? 0, 'day');
  return months % 12 === 0 ? count(months / 12, 'year') : count(months, 'month');
}

/** Returns how long a license lasts whose term has not begun: `1 year from first activation`. */
export function pendingTermText(term: PendingTerm): string {
  const first = term.begins_with === 'first_validation' ? 'first validation' : 'first activation';
  const end = term.ends_with_month ? ', until the end of that month' : '';
  return `${termLength(term.duration_days, term.duration_months)} from ${first}${end}`;
}

interface ExpiryTextProps {
  readonly license: Pick<License, 'expires_at' | 'pending_term'>;
}

/** The end of a license: the day, and below it its distance if it is less than a week away. */
export function ExpiryText({ license: { expires_at, pending_term } }: ExpiryTextProps) {
  if (expires_at === null) {
    return <Dimmed>{pending_term == null ? 'Never expires' : pendingTermText(pending_term)}</Dimmed>;
  }
  return (
    <span className={lines['lines']}>
      <TimeText value={expires_at} format="last-day" />
      {isNear(expires_at) && (
        <span className={lines['second']}>
          <TimeText value={expires_at} format="end" />
        </span>
      )}
    </span>
  );
}
