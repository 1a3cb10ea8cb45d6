import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import type { Services } from '../../../services.ts';
import {
  deleteKeyRequestsBefore,
  deletePointsBefore,
  deleteRejectionsBefore,
  deleteVerdictsBefore,
} from './retention-queries.ts';

const keptDays = { hours: 60, days: 1096, keyRequests: 7, rejections: 60 };
/** Rows per transaction: few enough that a waiting request is not noticeably delayed. */
const batchSize = 1000;
const batchesPerRun = 500;

/**
 * Deletes expired figures in batches: hourly points and rejections after 60
 * days, daily points after three years, requests per key after a week. Returns the time at which to continue, or null
 * if nothing is left.
 */
export async function trimActivity(
  { clock, platform }: Pick<Services, 'clock' | 'platform'>,
  signal: AbortSignal,
): Promise<Timestamp | null> {
  const now = clock.now();
  const before = (days: number) => addDays(now, -days);
  const trims: ((tx: PlatformTransaction) => Promise<number>)[] = [
    (tx) => deletePointsBefore(tx, 'hour', before(keptDays.hours), batchSize),
    (tx) => deletePointsBefore(tx, 'day', before(keptDays.days), batchSize),
    (tx) => deleteVerdictsBefore(tx, 'hour', before(keptDays.hours), batchSize),
    (tx) => deleteVerdictsBefore(tx, 'day', before(keptDays.days), batchSize),
    (tx) => deleteKeyRequestsBefore(tx, before(keptDays.keyRequests).slice(0, 10), batchSize),
    (tx) => deleteRejectionsBefore(tx, before(keptDays.rejections), batchSize),
  ];
  let trim = trims.shift();
  for (let batch = 0; trim !== undefined; batch += 1) {
    if (signal.aborted || batch >= batchesPerRun) return addSeconds(clock.now(), 1);
    if ((await platform.transaction(trim)) < batchSize) trim = trims.shift();
  }
  return null;
}
