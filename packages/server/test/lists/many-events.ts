import { type Kysely, sql } from 'kysely';
import { at, empty, i, id, idOf, insertMany, kinds, manyRows, numbered, text, zero } from './numbered-rows.ts';

/** The number of webhook endpoints, all of which are read with every change. */
const fewRows = 20;

/** Inserts notifications: half of them are read, few have the rare type, and few are critical. */
export async function fillNotifications(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'notifications', manyRows, {
    id: id(kinds.notification),
    type: sql`case when ${i} % 1000 < 2 then 'license.expiring' else 'message' end`,
    severity: sql`case when ${i} % 500 < 2 then 'critical' else 'info' end`,
    title: text('Something happened'),
    body: text('Do something about it.'),
    read_at: sql`case when ${i} % 2 = 0 then ${at} end`,
    created_at: at,
  });
}

/** Inserts endpoints, events, and a delivery of each event to one of the first two. Few are pending or failed. */
export async function fillWebhooks(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'webhook_endpoints', fewRows, {
    id: id(kinds.webhook),
    url: text('https://hooks.example.com'),
    events_json: text('["*"]'),
    status: sql`case when ${i} % 10 = 0 then 'disabled' else 'enabled' end`,
    disabled_reason: sql`case when ${i} % 10 = 0 then 'requested' end`,
    sealed_secrets: empty,
    failed_deliveries: zero,
    created_at: at,
    updated_at: at,
  });
  const type = sql`case when ${i} % 1000 < 2 then 'webhook.disabled' else 'license.created' end`;
  const status = sql`case when ${i} % 1000 < 3 then 'failed' when ${i} % 1000 < 6 then 'pending' else 'succeeded' end`;
  await insertMany(db, 'events', manyRows, {
    id: id(kinds.webhook),
    type,
    occurred_at: at,
    data_json: empty,
  });
  await insertMany(db, 'webhook_deliveries', manyRows, {
    id: id(kinds.webhook),
    webhook_id: sql`case when ${i} % 100 = 1 then ${text(idOf('webhook', 2))} else ${text(idOf('webhook', 1))} end`,
    event_id: id(kinds.webhook),
    event_type: type,
    status,
    scheduled_attempts: zero,
    next_trigger: text('schedule'),
    claimable_at: sql`case when ${status} = 'pending' then '2100-01-01T00:00:00.000000Z' end`,
    created_at: at,
  });
}

/** Inserts mails to license holders. Few are refused, wait, or are of another type than most. */
export async function fillHolderMails(db: Kysely<never>): Promise<void> {
  const state = sql`case when ${i} % 1000 < 3 then 'refused' when ${i} % 1000 < 6 then 'queued' else 'sent' end`;
  await insertMany(db, 'holder_mails', manyRows, {
    id: id(kinds.webhook),
    type: sql`case when ${i} % 1000 < 2 then 'license.suspended' else 'license.issued' end`,
    recipient: sql`${numbered('holder-', sql`${i} % 5000`)} || '@example.com'`,
    license_id: sql`case when ${i} % 100 = 1 then ${text(idOf('license', 2))} else ${text(idOf('license', 1))} end`,
    event: numbered('event-'),
    state,
    is_bulk: zero,
    attempts: zero,
    next_attempt_at: sql`case when ${state} = 'queued' then '2100-01-01T00:00:00.000000Z' end`,
    created_at: at,
  });
}
