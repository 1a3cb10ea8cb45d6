import type { License, Policy } from '../../api/licenses.ts';
import { count } from '../../lib/text.ts';
import { formatRelative } from '../../lib/time.ts';

const dayMs = 86_400_000;

type JudgedLicense = Pick<License, 'status' | 'starts_at' | 'expires_at' | 'last_validated_at' | 'activations_count'>;
type JudgedPolicy = Pick<Policy, 'grace_days' | 'expiry_strategy' | 'expiry_basis' | 'duration_days'>;

/** Returns what the status of a license means for its holder now, as one or two sentences. */
export function statusMeaning(license: JudgedLicense, policy: JudgedPolicy | undefined, nowMs = Date.now()): string {
  switch (license.status) {
    case 'revoked':
      return 'Revoked permanently: every validation is refused.';
    case 'suspended':
      return 'Suspended: every validation is refused until you reinstate the license.';
    case 'pending':
      return `Starts ${formatRelative(license.starts_at, nowMs)}. Validations are refused before that.`;
    default:
      return termMeaning(license, policy, nowMs);
  }
}

function termMeaning({ expires_at }: JudgedLicense, policy: JudgedPolicy | undefined, nowMs: number): string {
  if (expires_at === null) return endlessMeaning(policy);
  const endMs = new Date(expires_at).getTime();
  const when = formatRelative(expires_at, nowMs);
  const graceDays = policy?.grace_days ?? 0;
  if (endMs > nowMs) {
    if (policy?.expiry_strategy === 'allow') return `Expires ${when}, and stays usable afterwards.`;
    return graceDays > 0 ? `Expires ${when}, then ${count(graceDays, 'day')} of grace.` : `Expires ${when}.`;
  }
  if (policy?.expiry_strategy === 'allow') return `Expired ${when}. Its policy lets it be used all the same.`;
  const graceEndMs = endMs + graceDays * dayMs;
  if (graceEndMs > nowMs) {
    return `Expired ${when}, still usable: the grace ends ${formatRelative(new Date(graceEndMs).toISOString(), nowMs)}.`;
  }
  return `Expired ${when}: every validation is refused until you renew the license.`;
}

function endlessMeaning(policy: JudgedPolicy | undefined): string {
  if (policy?.duration_days == null || policy.expiry_basis === 'creation') return 'Valid without an end.';
  const begins = policy.expiry_basis === 'first_validation' ? 'validation' : 'activation';
  return `Valid. Its term of ${count(policy.duration_days, 'day')} begins with the first ${begins}.`;
}
