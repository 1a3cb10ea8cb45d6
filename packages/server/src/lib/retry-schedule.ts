import { type Timestamp, toEpochMs, toTimestamp } from './clock.ts';

/** When work that has failed is tried again, and when it is given up. */
export interface RetrySchedule {
  /** The waits after the first failure, the second one, and so on, in seconds. */
  readonly waits: readonly number[];
  /** True if the last wait repeats. Otherwise the failure after it is the last one. */
  readonly repeatsLast?: true;
  /** The share by which a wait is spread at random, up and down. */
  readonly jitter?: number;
  /** Work that was created so many days ago is given up at its next failure. */
  readonly endsAfterDays?: number;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** The schedule of every kind of work that is retried. */
export const retrySchedules = {
  job: { waits: [5, 30, 2 * minute, 10 * minute, 30 * minute, 2 * hour, 6 * hour] },
  /** For jobs that never end. The waits are short, so that the work continues soon after the cause is gone. */
  endlessJob: { waits: [5, 30, 2 * minute, 10 * minute], repeatsLast: true },
  /** Somebody must correct the cause, so a retry is rarely useful. Ten minutes bound the load of a slow migration. */
  migration: { waits: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 10 * minute], repeatsLast: true },
  serviceMail: {
    waits: [1, 2, 5, 10, 15].map((minutes) => minutes * minute),
    repeatsLast: true,
    endsAfterDays: 7,
  },
  holderMail: {
    waits: [1, 2, 5, 10, 15, 30, 60].map((minutes) => minutes * minute),
    repeatsLast: true,
    endsAfterDays: 7,
  },
  webhook: { waits: [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour], jitter: 0.2 },
  /** A day in all. Then only a person can help. */
  shopMessage: { waits: [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 15 * hour] },
  /** A dropped event is made up for by a later event about the same object. */
  sandboxEvent: { waits: [5, 30, 2 * minute, 10 * minute, hour, 6 * hour, 12 * hour, day] },
} satisfies Readonly<Record<string, RetrySchedule>>;

/**
 * Returns the wait in milliseconds after so many failures in a row; null if no attempt follows. `random` is in 0..1 and
 * spreads the wait.
 */
export function retryDelayMs(schedule: RetrySchedule, failures: number, random = 0.5): number | null {
  const { waits, repeatsLast, jitter = 0 } = schedule;
  const seconds = waits[failures - 1] ?? (repeatsLast ? waits.at(-1) : undefined);
  return seconds === undefined ? null : Math.round(seconds * 1000 * (1 - jitter + 2 * jitter * random));
}

/**
 * Returns when work that has failed so many times in a row is tried again; null if it is given up. `createdAt` is absent
 * if another rule ends old work.
 */
export function retryAt(
  schedule: RetrySchedule,
  failures: number,
  nowMs: number,
  createdAt?: Timestamp | null,
): Timestamp | null {
  const { endsAfterDays } = schedule;
  const isOld =
    endsAfterDays !== undefined && createdAt != null && toEpochMs(createdAt) + endsAfterDays * day * 1000 <= nowMs;
  if (isOld) return null;
  const delayMs = retryDelayMs(schedule, failures);
  return delayMs === null ? null : toTimestamp(nowMs + delayMs);
}
