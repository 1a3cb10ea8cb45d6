import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  catalogue,
  deliver,
  happen,
  type Life,
  lives,
  owed,
} from '../../src/features/sales/sales/random-life.fixture.ts';
import type { SaleFact } from '../../src/features/sales/shops/sale-fact.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../src/lib/clock.ts';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newPolicy, newProduct } from '../support/licensing-catalog.ts';
import { type CustomShop, connectShop } from './custom-shop.ts';

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenant();

/** The random lives that are sent through the real path; LIVES for more. */
const count = Number(process.env['LIVES'] ?? 60);

/** Moves every time in a value, so that a life has just ended. */
function shifted<Value>(value: Value, byMs: number): Value {
  const move = (time: string) => toTimestamp(toEpochMs(time) + byMs);
  return JSON.parse(JSON.stringify(value).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, move));
}

function messageOf({ at, rank, fields, payment }: SaleFact, id: string) {
  const { kind, startedAt, items, state, paidSince, paidUntil, endsAt, pastDueSince, refund, dispute } = fields;
  const sale = {
    id,
    kind,
    started_at: startedAt,
    items: items?.map(({ externalId, quantity }) => ({ id: externalId, quantity })),
    state,
    paid_since: paidSince,
    paid_until: paidUntil,
    ends_at: endsAt,
    past_due_since: pastDueSince,
    ...(refund && { refund: { amount: refund.amount, payment_at: refund.paymentAt } }),
    dispute,
    ...(dispute && { disputed_payment_at: payment?.at }),
  };
  const type = rank === 0 ? 'sale.completed' : rank === 2 ? 'subscription.ended' : 'subscription.changed';
  return { type, at, sale };
}

/** Connects a shop that sells the catalogue of the lives, and returns it with the item of each policy. */
async function connectCatalogue() {
  const shop = await connectShop(suite.app, suite.tenant);
  const products = new Map<string, string>();
  const policies = new Map<string, string>();
  for (const [item, { product_id, quantity, seats_per_unit, on_refund, suspend_after_days }] of catalogue) {
    const product = products.get(product_id) ?? (await newProduct(suite.tenant)).id;
    products.set(product_id, product);
    const policy = await newPolicy(suite.tenant, { product_id: product });
    const on_payment_failure = suspend_after_days === null ? 'nothing' : 'suspend_after_days';
    const terms = { quantity, seats_per_unit, on_refund, on_payment_failure, suspend_after_days };
    const offer = { external_id: item, policy_id: policy.id, ...terms };
    created(await suite.tenant.asOwner('POST', `/connections/${shop.id}/offers`, offer));
    policies.set(policy.id, item);
  }
  return { shop, policies };
}

/** Lets a life end half an hour ago and sends its messages. Returns what the buyer must have; undefined if all were lost. */
async function live(shop: CustomShop, life: Life, id: string, now: Timestamp): Promise<string[] | undefined> {
  const happened = happen(life);
  const deliveries = deliver(happened, life);
  const last = happened.at(-1);
  if (last === undefined || deliveries.length === 0) return undefined;
  const lastAt = [...deliveries.map(({ fact }) => fact.at), last.at].sort().at(-1) ?? last.at;
  const byMs = toEpochMs(now) - toEpochMs(lastAt) - 1_800_000;
  for (const { fact } of deliveries) expect((await shop.send(messageOf(shifted(fact, byMs), id))).status).toBe(200);
  const must = owed(shifted(last.truth, byMs), now);
  return must.map((one) => JSON.stringify([one.policyId, one.maxActivations, one.expiresAt])).sort();
}

/** Returns all rows of a list. */
async function readAll(path: string) {
  const rows = [];
  for (let cursor = ''; ; ) {
    const { body } = await suite.tenant.asOwner('GET', `${path}?limit=100${cursor}`);
    rows.push(...body.data);
    if (body.meta.next_cursor === null) return rows;
    cursor = `&cursor=${body.meta.next_cursor}`;
  }
}

test('random lives of subscriptions end with the licenses that the final state of the shop says', async () => {
  const { shop, policies } = await connectCatalogue();
  clock.advance(1000);
  const now = toTimestamp(Date.now());
  const expected = new Map<string, string[]>();
  for (const [index, life] of fc.sample(lives, count).entries()) {
    const must = await live(shop, life, `life-${index}`, now);
    if (must !== undefined) expected.set(`life-${index}`, must);
  }
  await shop.work();
  expect(await shop.events('?state=failed')).toEqual([]);
  const licenses = new Map((await readAll('/licenses')).map((license) => [license.id, license]));
  const found = (await readAll(`/connections/${shop.id}/sales`)).map(({ external_id, license_ids }) => {
    const usable = license_ids
      .map((id: string) => licenses.get(id))
      .filter(({ status }: { status: string }) => status === 'active');
    const owned = usable.map((license: { policy_id: string; max_activations: number; expires_at: string }) =>
      JSON.stringify([policies.get(license.policy_id), license.max_activations, license.expires_at]),
    );
    return [external_id, owned.sort()] as const;
  });
  // A life of which only refunds arrived is not a sale yet.
  const listed = new Map(found);
  for (const [id, must] of expected) expect([id, listed.get(id) ?? []]).toEqual([id, must]);
});
