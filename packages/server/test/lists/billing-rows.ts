import { type Kysely, sql } from 'kysely';
import { at, empty, i, id, insertMany, kinds, numbered, someRows, text, zero } from './numbered-rows.ts';

/** The tables that are filled for billing. */
export const billingTables = ['catalog_products', 'coupons', 'invoices', 'orphan_subscriptions', 'plans'];

/** Inserts products, plans, coupons, invoices and orphan subscriptions. A tenth of the invoices belongs to `tenantId`. */
export async function fillBilling(db: Kysely<never>, tenantId: string): Promise<void> {
  const stamps = { created_at: at, updated_at: at };
  await insertMany(db, 'catalog_products', someRows, {
    id: id(kinds.product),
    code: numbered('catalog-'),
    name: text('Editor'),
    ...stamps,
  });
  await insertMany(db, 'plans', someRows, {
    id: id(kinds.policy),
    code: numbered('plan-'),
    name: text('Pro'),
    limits_json: sql`(select limits_json from plans where code = 'free')`,
    features_json: text('[]'),
    catalog_product_id: sql`${sql.lit('00000001-0000-7000-8000-')} || substr(cast(1000000000000 + ${i} % 100 + 1 as text), 2)`,
    archived_at: sql`case when ${i} % 1000 = 0 then ${at} end`,
    ...stamps,
  });
  await insertMany(db, 'coupons', someRows, {
    id: id(kinds.record),
    code: numbered('COUPON-'),
    name: text('Spring'),
    percent_off_basis_points: sql`2000`,
    duration: text('forever'),
    archived_at: sql`case when ${i} % 1000 = 0 then ${at} end`,
    ...stamps,
  });
  const tenant = sql`case when ${i} % 10 = 0 then ${text(tenantId)} else ${id(kinds.tenant)} end`;
  await insertMany(db, 'invoices', someRows, {
    id: id(kinds.record),
    tenant_id: tenant,
    provider: text('sandbox'),
    provider_invoice_id: numbered('invoice-'),
    number: i,
    status: sql`case when ${i} % 1000 < 2 then 'open' else 'paid' end`,
    currency: text('eur'),
    subtotal: i,
    tax: zero,
    total: i,
    amount_due: zero,
    amount_paid: i,
    lines_json: text('[]'),
    attempt_count: zero,
    finalized_at: at,
    ...stamps,
  });
  await insertMany(db, 'orphan_subscriptions', someRows, {
    id: id(kinds.record),
    provider: text('sandbox'),
    provider_subscription_id: numbered('orphan-'),
    provider_customer_id: numbered('customer-'),
    status: text('active'),
    plan_code: text('free'),
    reason: text('no_tenant'),
    ...stamps,
  });
}

/** Inserts billing checkouts. Few are open; they do not exist at the provider. */
export function fillBillingCheckouts(db: Kysely<never>): Promise<void> {
  return insertMany(db, 'billing_checkouts', someRows, {
    id: id(kinds.record),
    tenant_id: id(kinds.tenant),
    status: sql`case when ${i} % 1000 = 0 then 'open' else 'complete' end`,
    plan_code: text('free'),
    interval: text('month'),
    currency: text('usd'),
    amount: i,
    user_id: empty,
    created_at: at,
  });
}
