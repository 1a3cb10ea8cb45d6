import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { PlatformDb } from '../../../db/database.ts';
import type { ActivityCounts } from '../../../db/tables/platform/activity.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createWriteBehind, flushGroups, type WriteBehind } from '../../../lib/write-behind.ts';
import { bucketMs, dayAt } from './buckets.ts';
import { addCounts, noActivity } from './counters.ts';
import { addActivity, addKeyRequests, type GatheredActivity, type GatheredKeyRequests } from './write-queries.ts';

const maxDelayMs = 1000;
/** Tenants or keys per transaction: on the embedded engine each one holds up the process until it is written. */
const maxPerTransaction = 200;
/** While the platform's database cannot be written, so many keys' counts wait: about 15 MB. Of tenants the same. */
const maxWaiting = 50_000;

interface ActivityOptions {
  readonly platform: PlatformDb;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * What each tenant's applications do: counted in memory, and added to the points of hours and days in the platform's
 * database at most a second later, so that any number of nodes share them. A process that dies loses its last second.
 */
export class TenantActivity {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #counts: WriteBehind<string, GatheredActivity>;
  readonly #keyRequests: WriteBehind<string, GatheredKeyRequests>;
  /** What is counted in this hour since the last flush; the same objects wait in the buffers. */
  readonly #tenants = new Map<string, GatheredActivity>();
  readonly #keys = new Map<string, GatheredKeyRequests>();
  #hourMs = 0;

  constructor({ platform, clock, logger }: ActivityOptions) {
    this.#clock = clock;
    const onError = (error: unknown) =>
      logger.warn({ err: error }, "what tenants' applications did could not be counted; it is tried again");
    this.#counts = createWriteBehind<string, GatheredActivity>({
      maxDelayMs,
      maxKeys: maxWaiting,
      merge: mergeActivity,
      onError,
      flush: (batch) => {
        // Before anything is awaited: what is counted from here on waits for the next flush.
        this.#tenants.clear();
        return writeInSlices(platform, batch, addActivity);
      },
    });
    this.#keyRequests = createWriteBehind<string, GatheredKeyRequests>({
      maxDelayMs,
      maxKeys: maxWaiting,
      merge: mergeKeyRequests,
      onError,
      flush: (batch) => {
        this.#keys.clear();
        return writeInSlices(platform, batch, addKeyRequests);
      },
    });
  }

  /** Counts one event of a tenant. Costs no I/O. */
  count(tenantId: string, counter: keyof ActivityCounts): void {
    const nowMs = this.#clock.nowMs();
    const gathered = this.#ofTenant(tenantId, nowMs);
    gathered.counts[counter] += 1;
    if (counter === 'rate_limit_rejections') gathered.lastRejectedAtMs = nowMs;
  }

  /** Counts one request to the Integration API, for the tenant and for its key. Costs no I/O. */
  countRequest(tenantId: string, keyId: string): void {
    this.#ofTenant(tenantId, this.#clock.nowMs()).counts.integration_requests += 1;
    let gathered = this.#keys.get(keyId);
    if (gathered === undefined) {
      gathered = { day: dayAt(this.#hourMs), tenantId, keyId, requests: 0 };
      this.#keys.set(keyId, gathered);
      this.#keyRequests.record(`${gathered.day} ${keyId}`, gathered);
    }
    gathered.requests += 1;
  }

  #ofTenant(tenantId: string, nowMs: number): GatheredActivity {
    if (nowMs - this.#hourMs >= bucketMs.hour || nowMs < this.#hourMs) this.#beginHour(nowMs);
    let gathered = this.#tenants.get(tenantId);
    if (gathered === undefined) {
      gathered = { tenantId, hourMs: this.#hourMs, counts: noActivity(), lastRejectedAtMs: 0 };
      this.#tenants.set(tenantId, gathered);
      this.#counts.record(`${this.#hourMs} ${tenantId}`, gathered);
    }
    return gathered;
  }

  #beginHour(nowMs: number): void {
    this.#tenants.clear();
    this.#keys.clear();
    this.#hourMs = nowMs - (nowMs % bucketMs.hour);
  }

  async flush(): Promise<void> {
    await Promise.all([this.#counts.flush(), this.#keyRequests.flush()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#counts.close(), this.#keyRequests.close()]);
  }
}

/** Into the newer one: that is what goes on counting. */
function mergeActivity(older: GatheredActivity, newer: GatheredActivity): GatheredActivity {
  addCounts(newer.counts, older.counts);
  newer.lastRejectedAtMs = Math.max(newer.lastRejectedAtMs, older.lastRejectedAtMs);
  return newer;
}

function mergeKeyRequests(older: GatheredKeyRequests, newer: GatheredKeyRequests): GatheredKeyRequests {
  newer.requests += older.requests;
  return newer;
}

/** A slice that fails is tried again as a whole, and was not written in part: nothing is counted twice. */
async function writeInSlices<Gathered>(
  platform: PlatformDb,
  batch: ReadonlyMap<string, Gathered>,
  write: (platform: PlatformDb, slice: readonly Gathered[]) => Promise<void>,
): Promise<void> {
  const entries = [...batch];
  const slices: (typeof entries)[] = [];
  for (let start = 0; start < entries.length; start += maxPerTransaction) {
    slices.push(entries.slice(start, start + maxPerTransaction));
  }
  await flushGroups(
    slices.map((slice) => ({
      keys: slice.map(([key]) => key),
      async write() {
        const gathered = slice.map(([, one]) => one);
        await write(platform, gathered);
        // Requests get their turn between two slices.
        await nextTurn();
      },
    })),
  );
}
