import type { UsageReport } from '../api-types.ts';
import { incomplete } from '../client.ts';
import { LicensingError } from '../error.ts';
import type { RecordedUsage } from './buffer.ts';

/** The results of the events of one request. */
export interface Settlement {
  readonly accepted: number;
  /** Events that an earlier attempt had counted. */
  readonly duplicate: number;
  readonly refused: readonly { readonly event: RecordedUsage; readonly reason: string }[];
  /** Events that must be sent again, in this form. */
  readonly again: readonly RecordedUsage[];
}

/** The service counts events of the last 35 days. */
const windowMs = 35 * 86_400_000;

/** Returns what the service answered. Throws `RESPONSE.INVALID` if the answer does not cover the events. */
export function settleAnswer(batch: readonly RecordedUsage[], { results }: UsageReport, nowMs: number): Settlement {
  if (!Array.isArray(results) || results.length !== batch.length) throw incomplete();
  const outcomes = batch.map((event, index) => {
    const { status = '', reason = null } = results.find((result) => result.index === index) ?? {};
    return { event, status, reason: reason ?? 'RESPONSE.INVALID' };
  });
  const countOf = (wanted: string) => outcomes.filter(({ status }) => status === wanted).length;
  const refused = outcomes.filter(({ status }) => status !== 'accepted' && status !== 'duplicate');
  // A young event outside the window was recorded by a wrong clock: the time of its report is closer to the truth.
  const isMistimed = ({ event: { occurredAt }, reason }: (typeof refused)[number]) =>
    reason === 'USAGE.OUT_OF_WINDOW' && occurredAt !== null && nowMs - Date.parse(occurredAt) < windowMs;
  return {
    accepted: countOf('accepted'),
    duplicate: countOf('duplicate'),
    refused: refused.filter((outcome) => !isMistimed(outcome)),
    again: refused.filter(isMistimed).map(({ event }) => ({ ...event, occurredAt: null })),
  };
}

/**
 * Returns the results of the events of a request that was refused as a whole: the invalid ones are refused, the others
 * are sent again. Null if it could be any of them, or their number: send fewer. Throws the error if it says nothing
 * about the events.
 */
export function settleError(batch: readonly RecordedUsage[], error: unknown): Settlement | null {
  if (!(error instanceof LicensingError)) throw error;
  const { code, details, status } = error;
  const isAlone = batch.length === 1;
  if (code !== 'VALIDATION.FAILED') {
    // Proxies limit the size too, and do not answer in the words of the service.
    if (status === 413 && !isAlone) return null;
    throw error;
  }
  const named = new Set(details.map(({ field }) => Number(/^events\.(\d+)/.exec(field)?.[1])));
  const isInvalid = (index: number) => isAlone || named.has(index);
  const refused = batch.filter((_event, index) => isInvalid(index)).map((event) => ({ event, reason: code }));
  if (refused.length === 0) return null;
  return { accepted: 0, duplicate: 0, refused, again: batch.filter((_event, index) => !isInvalid(index)) };
}
