import { type Kysely, sql } from 'kysely';
import { at, empty, i, id, insertMany, kinds, manyRows, numbered, someRows, text, zero } from './numbered-rows.ts';

/** Inserts feature flags with the keys `flag-1`, `flag-2` …. */
export function fillFlags(db: Kysely<never>, count: number): Promise<void> {
  return insertMany(db, 'feature_flags', count, {
    id: id(kinds.record),
    key: numbered('flag-'),
    definition_json: empty,
    created_at: at,
    updated_at: at,
  });
}

/** Inserts checkouts of one user and of another one. Few failed, the others are canceled. */
export async function fillCheckouts(db: Kysely<never>, userId: string): Promise<void> {
  for (const [prefix, user] of [
    ['0', text(userId)],
    ['1', text('another-user')],
  ] as const) {
    await insertMany(db, 'onboarding_checkouts', someRows, {
      id: sql`${sql.lit(prefix)} || substr(${id(kinds.checkout)}, 2)`,
      user_id: user,
      plan_code: text('free'),
      plan_name: text('Free'),
      amount: zero,
      tenant_name: text('Acme'),
      status: sql`case when ${i} % 1000 = 0 then 'failed' else 'canceled' end`,
      tenant_id: sql`${sql.lit(prefix)} || ${numbered('tenant-')}`,
      steps_json: text('{}'),
      expires_at: at,
      created_at: at,
      updated_at: at,
    });
  }
}

/** Inserts events of a payment provider. One in a thousand has another type. */
export function fillPaymentEvents(db: Kysely<never>): Promise<void> {
  return insertMany(db, 'payment_events', manyRows, {
    id: id(kinds.record),
    provider: text('sandbox'),
    provider_event_id: numbered('evt_'),
    type: sql`case when ${i} % 1000 = 0 then 'invoice.voided' else 'invoice.paid' end`,
    provider_subscription_id: numbered('sub_', sql`${i} % 2000`),
    created_at: at,
    received_at: at,
  });
}
