import { type Kysely, sql } from 'kysely';
import {
  at,
  empty,
  i,
  id,
  insertMany,
  kinds,
  manyRows,
  microseconds,
  numbered,
  someRows,
  text,
  zero,
} from './numbered-rows.ts';

/** Inserts rows that the daily jobs delete when they are old. */
export async function fillTransient(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'usage_events', manyRows, {
    license_id: id(kinds.license),
    idempotency_key: numbered('key-'),
    recorded_at: sql`case when ${i} % 10 = 0 then '2025-01-01T00:00:00.' || ${microseconds} else ${at} end`,
  });
  await insertMany(db, 'idempotency_keys', manyRows, {
    attempt_id: id(kinds.attempt),
    route: text('POST /x'),
    idempotency_key: numbered('key-'),
    request_hash: empty,
    lease_expires_at: at,
    created_at: at,
    expires_at: sql`case when ${i} % 10 = 0 then ${at} else '2100-01-01T00:00:00.000000Z' end`,
  });
}

/** Inserts mails that the service gave up on. Their content cannot be opened. */
export function fillDeadMails(db: Kysely<never>): Promise<void> {
  return insertMany(db, 'dead_mails', someRows, {
    id: id(kinds.record),
    sealed_message: text('sealed'),
    attempts: zero,
    last_error: text('550 No such mailbox'),
    created_at: at,
    died_at: at,
  });
}

/** Inserts the daily jobs of all tenants, some of them `dead` or `parked`. */
export async function fillJobs(db: Kysely<never>): Promise<void> {
  const status = sql`case when ${i} % 1000 = 0 then 'dead' when ${i} % 1000 = 1 then 'parked' else 'waiting' end`;
  for (const kind of ['retention', 'expiring']) {
    await insertMany(db, 'jobs', someRows, {
      subject_id: id(kinds.tenant),
      kind: text(kind),
      status,
      due_at: sql`case when ${i} % 1000 > 1 then '2100-01-01T00:00:00.000000Z' end`,
      attempts: zero,
      updated_at: at,
    });
  }
}
