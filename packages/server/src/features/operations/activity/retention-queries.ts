import type { PlatformTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { BucketInterval } from './buckets.ts';

// Each function deletes at most `most` rows and returns their number. It finds the last row of the batch and deletes
// every row up to it. If it listed the keys of the batch instead, PostgreSQL might scan the whole table.

/** Deletes points of an interval that start before `cutoff`. */
export async function deletePointsBefore(
  tx: PlatformTransaction,
  interval: BucketInterval,
  cutoff: Timestamp,
  most: number,
): Promise<number> {
  const last = await tx
    .selectFrom('activity_points')
    .select(['bucket_start', 'scope'])
    .where('interval', '=', interval)
    .where('bucket_start', '<', cutoff)
    .orderBy('bucket_start')
    .orderBy('scope')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  const deleted = await tx
    .deleteFrom('activity_points')
    .where('interval', '=', interval)
    .where((eb) =>
      last === undefined
        ? eb('bucket_start', '<', cutoff)
        : eb(eb.refTuple('bucket_start', 'scope'), '<=', eb.tuple(last.bucket_start, last.scope)),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Deletes validations by verdict of an interval that start before `cutoff`. */
export async function deleteVerdictsBefore(
  tx: PlatformTransaction,
  interval: BucketInterval,
  cutoff: Timestamp,
  most: number,
): Promise<number> {
  const last = await tx
    .selectFrom('verdict_points')
    .select(['bucket_start', 'tenant_id', 'code'])
    .where('interval', '=', interval)
    .where('bucket_start', '<', cutoff)
    .orderBy('bucket_start')
    .orderBy('tenant_id')
    .orderBy('code')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  const deleted = await tx
    .deleteFrom('verdict_points')
    .where('interval', '=', interval)
    .where((eb) =>
      last === undefined
        ? eb('bucket_start', '<', cutoff)
        : eb(
            eb.refTuple('bucket_start', 'tenant_id', 'code'),
            '<=',
            eb.tuple(last.bucket_start, last.tenant_id, last.code),
          ),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Deletes requests per key of days before `day`. */
export async function deleteKeyRequestsBefore(tx: PlatformTransaction, day: string, most: number): Promise<number> {
  const last = await tx
    .selectFrom('api_key_requests')
    .select(['day', 'tenant_id', 'key_id'])
    .where('day', '<', day)
    .orderBy('day')
    .orderBy('tenant_id')
    .orderBy('key_id')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  const deleted = await tx
    .deleteFrom('api_key_requests')
    .where((eb) =>
      last === undefined
        ? eb('day', '<', day)
        : eb(eb.refTuple('day', 'tenant_id', 'key_id'), '<=', eb.tuple(last.day, last.tenant_id, last.key_id)),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Deletes tenants from the list of rate-limited tenants whose last rejection was before `cutoff`. */
export async function deleteRejectionsBefore(
  tx: PlatformTransaction,
  cutoff: Timestamp,
  most: number,
): Promise<number> {
  const last = await tx
    .selectFrom('rate_limited_tenants')
    .select(['last_rejected_at', 'tenant_id'])
    .where('last_rejected_at', '<', cutoff)
    .orderBy('last_rejected_at')
    .orderBy('tenant_id')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  const deleted = await tx
    .deleteFrom('rate_limited_tenants')
    .where((eb) =>
      last === undefined
        ? eb('last_rejected_at', '<', cutoff)
        : eb(eb.refTuple('last_rejected_at', 'tenant_id'), '<=', eb.tuple(last.last_rejected_at, last.tenant_id)),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
