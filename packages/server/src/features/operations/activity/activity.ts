import type { Logger } from 'pino';
import type { PlatformDb } from '../../../db/database.ts';
import type { ActivityCounts } from '../../../db/tables/platform/operations.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createWriteBehind, flushGroups, type WriteBehind } from '../../../lib/write-behind.ts';
import { addCounts, addVerdicts, bucketMs, dayAt, noActivity } from './counters.ts';
import { addActivity, addKeyRequests, type GatheredActivity, type GatheredKeyRequests } from './write-queries.ts';

const maxDelayMs = 1000;
/** Tenants or keys per transaction. On the embedded engine, a transaction blocks the process until it is written. */
const maxPerTransaction = 200;
/** Buffered entries per buffer (keys, tenants) while the platform database cannot be written: about 15 MB each. */
const maxBuffered = 50_000;

interface ActivityOptions {
  readonly platform: PlatformDb;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Counts what each tenant's applications do. The counts are buffered in memory and added to the hourly and daily points
 * in the platform database at most 1 s later, so that any number of nodes share them. A crash loses at most the last
 * second.
 */
export class TenantActivity {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #counts: WriteBehind<string, GatheredActivity>;
  readonly #keyRequests: WriteBehind<string, GatheredKeyRequests>;
  /** The counts of this hour since the last flush. The buffers hold the same objects. */
  readonly #tenants = new Map<string, GatheredActivity>();
  readonly #keys = new Map<string, GatheredKeyRequests>();
  #hourMs = 0;

  constructor({ platform, clock, logger }: ActivityOptions) {
    this.#clock = clock;
    const onError = (error: unknown) =>
      logger.warn({ err: error }, 'writing the activity counts of tenants failed; retrying');
    this.#counts = createWriteBehind<string, GatheredActivity>({
      maxDelayMs,
      maxKeys: maxBuffered,
      merge: mergeActivity,
      onError,
      flush: (batch) => {
        // Cleared before the first await, so that later counts go to the next flush.
        this.#tenants.clear();
        return writeInSlices(platform, batch, addActivity);
      },
    });
    this.#keyRequests = createWriteBehind<string, GatheredKeyRequests>({
      maxDelayMs,
      maxKeys: maxBuffered,
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

  /** Counts one validation of a tenant, by the code of its verdict. Costs no I/O. */
  countValidation(tenantId: string, code: string): void {
    const { counts, verdicts } = this.#ofTenant(tenantId, this.#clock.nowMs());
    counts.validations += 1;
    verdicts.set(code, (verdicts.get(code) ?? 0) + 1);
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
    if (nowMs - this.#hourMs >= bucketMs.hour || nowMs < this.#hourMs) this.#startHour(nowMs);
    let gathered = this.#tenants.get(tenantId);
    if (gathered === undefined) {
      gathered = { tenantId, hourMs: this.#hourMs, counts: noActivity(), verdicts: new Map(), lastRejectedAtMs: 0 };
      this.#tenants.set(tenantId, gathered);
      this.#counts.record(`${this.#hourMs} ${tenantId}`, gathered);
    }
    return gathered;
  }

  #startHour(nowMs: number): void {
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

/** Merges into the newer object, because counting continues in that one. */
function mergeActivity(older: GatheredActivity, newer: GatheredActivity): GatheredActivity {
  addCounts(newer.counts, older.counts);
  addVerdicts(newer.verdicts, older.verdicts);
  newer.lastRejectedAtMs = Math.max(newer.lastRejectedAtMs, older.lastRejectedAtMs);
  return newer;
}

function mergeKeyRequests(older: GatheredKeyRequests, newer: GatheredKeyRequests): GatheredKeyRequests {
  newer.requests += older.requests;
  return newer;
}

/**
 * Writes a batch in slices, one transaction each. A failed slice is rolled back and retried, so no count is doubled.
 */
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
      },
    })),
  );
}
