import type { Timestamp } from '../../../lib/clock.ts';
import type { SaleFact } from './sale-fact.ts';
import type { Reading } from './shop.ts';

/** When a report became true, and its rank among those of the same time. */
export interface Moment {
  readonly at: Timestamp;
  readonly rank: SaleFact['rank'];
}

/** Returns a reading without facts, with the reason for the vendor. */
export function ignored(reason: string): Reading {
  return { facts: [], ignoredBecause: reason, objects: [], aliases: [] };
}

/** Returns one reading of what several say. */
export function mergeReadings(readings: readonly Reading[]): Reading {
  const facts = readings.flatMap((reading) => reading.facts);
  const [reason] = facts.length > 0 ? [] : readings.flatMap(({ ignoredBecause }) => ignoredBecause ?? []);
  return {
    facts,
    ignoredBecause: reason ?? null,
    objects: readings.flatMap(({ objects }) => objects),
    aliases: readings.flatMap(({ aliases }) => aliases),
  };
}
