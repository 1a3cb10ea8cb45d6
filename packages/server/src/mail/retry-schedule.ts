const minuteMs = 60_000;

/** Waits after the first failed attempt, the second one, and so on. The last one repeats until the mail expires. */
const delaysMs = [1, 2, 5, 10, 15].map((minutes) => minutes * minuteMs);
const longestDelayMs = delaysMs.at(-1) ?? minuteMs;

/** Returns the wait in milliseconds after `attempts` attempts to send a mail have failed. */
export function retryDelayMs(attempts: number): number {
  return delaysMs[attempts - 1] ?? longestDelayMs;
}
