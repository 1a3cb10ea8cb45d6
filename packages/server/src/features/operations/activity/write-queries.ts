import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { numberAt, rowsOf, textAt } from '../../../db/dialect.ts';
import type {
  ActivityCounts,
  ActivityPointsTable,
  VerdictPointsTable,
} from '../../../db/tables/platform/operations.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { activityCounters, addCounts, type BucketInterval, bucketAt, type VerdictCounts } from './counters.ts';

/** The activity of a tenant in a part of one hour. */
export interface GatheredActivity {
  readonly tenantId: string;
  /** The start of the hour, in milliseconds since the epoch. */
  readonly hourMs: number;
  readonly counts: ActivityCounts;
  readonly verdicts: VerdictCounts;
  /** The time of the last request that the rate limit refused, in milliseconds since the epoch; 0 without one. */
  lastRejectedAtMs: number;
}

/** The number of requests with a key in a part of one day. */
export interface GatheredKeyRequests {
  readonly day: string;
  readonly tenantId: string;
  readonly keyId: string;
  requests: number;
}

/**
 * The scope of the points of all tenants together. It sorts after every tenant id, so that its rows are locked last.
 */
export const platformScope = 'platform';

/** Adds the buffered activity to the points of its tenants and of the platform, in one transaction. */
export async function addActivity(platform: PlatformDb, gathered: readonly GatheredActivity[]): Promise<void> {
  const points = pointsOf(gathered);
  const verdicts = verdictPointsOf(gathered);
  const rejected = gathered.filter(({ lastRejectedAtMs }) => lastRejectedAtMs > 0);
  const write = async (tx: PlatformTransaction) => {
    if (rejected.length > 0) await recordRejections(tx, rejected);
    await addPoints(tx, points);
    if (verdicts.length > 0) await addVerdictPoints(tx, verdicts);
  };
  await platform.transaction(write, { mayLoseChanges: true });
}

/**
 * Merges the buffered activity into one row per point, sorted by key. Deadlock-free: all nodes update the same rows in
 * the same order.
 */
function pointsOf(gathered: readonly GatheredActivity[]): ActivityPointsTable[] {
  const points = new Map<string, ActivityPointsTable>();
  const add = (scope: string, interval: BucketInterval, { hourMs, counts }: GatheredActivity) => {
    const bucket_start = bucketAt(interval, hourMs);
    const key = `${scope} ${interval} ${bucket_start}`;
    const point = points.get(key);
    if (point === undefined) points.set(key, { scope, interval, bucket_start, ...counts });
    else addCounts(point, counts);
  };
  for (const one of gathered) {
    for (const scope of [one.tenantId, platformScope]) {
      add(scope, 'hour', one);
      add(scope, 'day', one);
    }
  }
  return [...points].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, point]) => point);
}

/** Adds counts to points, and inserts missing points. `points` must be sorted by scope, interval and start. */
export async function addPoints(tx: PlatformTransaction, points: readonly ActivityPointsTable[]): Promise<void> {
  const rows = points.map((point) => [
    point.scope,
    point.interval,
    point.bucket_start,
    ...activityCounters.map((counter) => String(point[counter])),
  ]);
  const columns = ['scope', 'interval', 'bucket_start', ...activityCounters].map((column) => sql.ref(column));
  const values = [textAt(0), textAt(1), textAt(2), ...activityCounters.map((_counter, index) => numberAt(index + 3))];
  const sums = activityCounters.map((counter) => {
    const sum = sql`${sql.ref(`activity_points.${counter}`)} + ${sql.ref(`excluded.${counter}`)}`;
    return sql`${sql.ref(counter)} = ${sum}`;
  });
  await sql`
    insert into activity_points (${sql.join(columns)})
    select ${sql.join(values)} from ${rowsOf(tx, rows)} where true
    on conflict (scope, ${sql.ref('interval')}, bucket_start) do update set ${sql.join(sums)}`.execute(tx);
}

function verdictPointsOf(gathered: readonly GatheredActivity[]): VerdictPointsTable[] {
  const points = new Map<string, VerdictPointsTable>();
  for (const { tenantId: tenant_id, hourMs, verdicts } of gathered) {
    for (const [code, validations] of verdicts) {
      for (const interval of ['hour', 'day'] as const) {
        const bucket_start = bucketAt(interval, hourMs);
        const key = `${tenant_id} ${interval} ${bucket_start} ${code}`;
        const point = points.get(key);
        if (point === undefined) points.set(key, { tenant_id, interval, bucket_start, code, validations });
        else point.validations += validations;
      }
    }
  }
  return [...points].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, point]) => point);
}

/** Adds validations to points by verdict, and inserts missing points. `points` must be sorted by their key. */
async function addVerdictPoints(tx: PlatformTransaction, points: readonly VerdictPointsTable[]): Promise<void> {
  const rows = points.map((point) => [
    point.tenant_id,
    point.interval,
    point.bucket_start,
    point.code,
    String(point.validations),
  ]);
  const columns = ['tenant_id', 'interval', 'bucket_start', 'code', 'validations'].map((column) => sql.ref(column));
  const values = [textAt(0), textAt(1), textAt(2), textAt(3), numberAt(4)];
  await sql`
    insert into verdict_points (${sql.join(columns)})
    select ${sql.join(values)} from ${rowsOf(tx, rows)} where true
    on conflict (tenant_id, ${sql.ref('interval')}, bucket_start, code) do update
    set validations = verdict_points.validations + excluded.validations`.execute(tx);
}

async function recordRejections(tx: PlatformTransaction, gathered: readonly GatheredActivity[]): Promise<void> {
  const latest = new Map<string, number>();
  for (const { tenantId, lastRejectedAtMs } of gathered) {
    latest.set(tenantId, Math.max(latest.get(tenantId) ?? 0, lastRejectedAtMs));
  }
  const rows = [...latest]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([id, atMs]) => [id, toTimestamp(atMs)]);
  await sql`
    insert into rate_limited_tenants (tenant_id, tenant_created_at, last_rejected_at)
    select tenants.id, tenants.created_at, ${textAt(1)} from ${rowsOf(tx, rows)}
    cross join tenants where tenants.id = ${textAt(0)}
    on conflict (tenant_id) do update set last_rejected_at = excluded.last_rejected_at
    where rate_limited_tenants.last_rejected_at < excluded.last_rejected_at`.execute(tx);
}

/** Adds the buffered requests to the days of their keys, in one transaction. */
export async function addKeyRequests(platform: PlatformDb, gathered: readonly GatheredKeyRequests[]): Promise<void> {
  const rows = gathered
    .map(({ day, tenantId, keyId, requests }) => [day, tenantId, keyId, String(requests)])
    .sort((left, right) => (left.join(' ') < right.join(' ') ? -1 : 1));
  const write = async (tx: PlatformTransaction) => {
    await sql`
      insert into api_key_requests (${sql.ref('day')}, tenant_id, key_id, requests)
      select ${textAt(0)}, ${textAt(1)}, ${textAt(2)}, ${numberAt(3)} from ${rowsOf(tx, rows)} where true
      on conflict (${sql.ref('day')}, tenant_id, key_id) do update
      set requests = api_key_requests.requests + excluded.requests`.execute(tx);
  };
  await platform.transaction(write, { mayLoseChanges: true });
}
