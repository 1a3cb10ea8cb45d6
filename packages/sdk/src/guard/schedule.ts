import type { LicenseGuardOptions } from './options.ts';

/** The time between two checks unless the application chooses another. */
export const defaultCheckIntervalMs = 3_600_000;
const shortestRenewalMs = 15_000;
/** A timer with a longer delay fires at once. */
const longestDelayMs = 2 ** 31 - 1;

interface CheckPlan {
  readonly failedChecks: number;
  /** The length of the lease of a floating seat; null for any other seat. */
  readonly leaseMs: number | null;
  /** What is left of the certificate; null without one. */
  readonly leftMs: number | null;
}

/** Returns the time to the next check, without jitter. */
export function checkDelayMs(
  {
    checkIntervalMs = defaultCheckIntervalMs,
    retryIntervalMs = 30_000,
  }: Pick<LicenseGuardOptions, 'checkIntervalMs' | 'retryIntervalMs'>,
  { failedChecks, leaseMs, leftMs }: CheckPlan,
): number {
  if (failedChecks > 0) {
    const retryMs = retryIntervalMs * 2 ** (failedChecks - 1);
    return Math.min(checkIntervalMs, retryMs, leaseMs === null ? checkIntervalMs : leaseMs / 3);
  }
  // The certificate is renewed when half of it is over. Heartbeats renew the one of a floating seat.
  if (leftMs === null || leaseMs !== null) return checkIntervalMs;
  return Math.min(checkIntervalMs, Math.max(leftMs / 2, shortestRenewalMs));
}

/** What a timer of the guard is for. */
export type Due = 'check' | 'beat' | 'end';

/** Returns what comes first, the check, a heartbeat, or the end of the certificate, and in how many milliseconds. */
export function nextTick({
  untilCheckMs,
  leaseMs,
  endMs,
  random,
}: {
  readonly untilCheckMs: number;
  readonly leaseMs: number | null;
  readonly endMs: number | null;
  readonly random: number;
}): { readonly due: Due; readonly delayMs: number } {
  const beatMs = leaseMs === null ? longestDelayMs : (leaseMs / 3) * (0.9 + 0.1 * random);
  const untilEndMs = endMs ?? longestDelayMs;
  const isCheckNext = untilCheckMs <= Math.min(beatMs, untilEndMs);
  const delayMs = Math.max(0, Math.min(untilCheckMs, beatMs, untilEndMs, longestDelayMs));
  return { due: isCheckNext ? 'check' : beatMs < untilEndMs ? 'beat' : 'end', delayMs };
}
