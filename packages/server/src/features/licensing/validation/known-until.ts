import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { parseEntitlements } from '../entitlements/check.ts';
import type { ValidationRow } from './queries.ts';
import type { Verdict } from './schemas.ts';

/** Later than every timestamp. */
const never: Timestamp = '9999-12-31T23:59:59.999999Z';

/**
 * Returns the first moment from `now` on at which time alone may change a verdict that was given at `now`: a license, a
 * grace period, a lease or an override ends or begins, or a counter resets. Until then, and as long as no row changes,
 * the verdict stays the same except for `checked_at` and `last_validated_at`. Equal to `now` if that is such a moment.
 */
export function knownUntil(row: ValidationRow, verdict: Verdict, now: Timestamp): Timestamp {
  let first = never;
  const consider = (moment: Timestamp | null | undefined) => {
    if (moment != null && moment >= now && moment < first) first = moment;
  };
  consider(row.starts_at);
  consider(row.expires_at);
  if (row.expires_at !== null) consider(addDays(row.expires_at, row.policy_grace_days));
  consider(row.next_lease_end);
  for (const { expires_at } of parseEntitlements(row.entitlements_json)) consider(expires_at);
  for (const { resets_at } of verdict.entitlements) consider(resets_at);
  return first;
}
