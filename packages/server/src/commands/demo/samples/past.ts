import { systemClock, type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';

/** The length of a day in milliseconds. */
export const dayMs = 86_400_000;
/** The length of an hour in milliseconds. */
export const hourMs = 3_600_000;

/** The time that the demo's history leads to. */
export interface Present {
  readonly nowMs: number;
  /** Returns the moment a number of days before now; of a negative number, after now. */
  ago(days: number): Timestamp;
}

/** Creates the present of a demo. */
export function createPresent(nowMs: number): Present {
  return { nowMs, ago: (days) => toTimestamp(Math.round(nowMs - days * dayMs)) };
}

/** Returns the services as of a time in the past. They send no mail: what they do happened long ago. */
export function servicesAt(services: Services, atMs: number): Services {
  return {
    ...services,
    clock: systemClock(() => atMs),
    mail: { ...services.mail, enqueue: async () => undefined, kick: () => undefined },
  };
}
