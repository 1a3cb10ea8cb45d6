import { words } from '../lib/text.ts';
import classes from './StatusBadge.module.css';

/** The meaning of a status for the reader; it chooses the colour. The text always says the status as well. */
type Tone = 'good' | 'waiting' | 'warning' | 'bad' | 'neutral';

const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  delivered: 'good',
  enabled: 'good',
  paid: 'good',
  succeeded: 'good',
  trialing: 'good',
  valid: 'good',
  complete: 'good',
  ready: 'good',
  published: 'good',
  open: 'waiting',
  pending: 'waiting',
  invited: 'waiting',
  running: 'waiting',
  scheduled: 'waiting',
  expiring: 'warning',
  in_grace: 'warning',
  past_due: 'warning',
  incomplete: 'warning',
  paused: 'warning',
  warning: 'warning',
  retrying: 'warning',
  suspended: 'bad',
  yanked: 'bad',
  refunded: 'bad',
  disputed: 'bad',
  failed: 'bad',
  exhausted: 'bad',
  disabled: 'bad',
  invalid: 'bad',
  unpaid: 'bad',
  uncollectible: 'bad',
  error: 'bad',
  expired: 'bad',
};

interface StatusBadgeProps {
  readonly status: string;
  /** The text, if it is not the status in words. */
  readonly label?: string;
  /** The tone, if the status alone does not define it. */
  readonly tone?: Tone;
}

/**
 * A status as a word with a colour; the colour alone never conveys it. It is the browser's own element: a list shows one in
 * each row.
 */
export function StatusBadge({ status, label, tone = tones[status] ?? 'neutral' }: StatusBadgeProps) {
  return (
    <span className={classes['badge']} data-tone={tone}>
      {label ?? words(status)}
    </span>
  );
}
