import { expect, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { useApp } from '../support/harness.ts';
import { buy, dayMs, price, sandboxOf } from './sandbox-data.ts';

const suite = useApp({ PAYMENT_PROVIDER: 'sandbox' });

test('a running service receives its sandbox events on its webhook, and its jobs perform what becomes due', async () => {
  const { app } = suite;
  await app.listen();
  const { query } = app.services.platform;
  const typesOf = async (subscriptionId: string) => {
    const events = query.selectFrom('payment_events').select('type');
    const rows = await events.where('provider_subscription_id', '=', subscriptionId).execute();
    return rows.map(({ type }) => type).toSorted();
  };
  const { subscriptionId } = await buy(app, price('basic', 1000));
  const bought = ['checkout.session.completed', 'customer.subscription.created', 'invoice.finalized', 'invoice.paid'];
  await eventually(async () => expect(await typesOf(subscriptionId)).toEqual(bought));
  // Only the offset of the clock is advanced, as if time had passed: the jobs perform what becomes due.
  await query
    .insertInto('sandbox_clock')
    .values({ id: 1, offset_ms: 31 * dayMs })
    .execute();
  await query
    .updateTable('jobs')
    .set({ due_at: app.services.clock.now() })
    .where('kind', '=', 'sandbox-clock')
    .execute();
  const renewed = [...bought, 'customer.subscription.updated', 'invoice.finalized', 'invoice.paid'].toSorted();
  await eventually(async () => expect(await typesOf(subscriptionId)).toEqual(renewed));
  expect(await sandboxOf(app).payments.listInvoices(subscriptionId)).toHaveLength(2);
});

test('an event that is not accepted is retried, and dropped after the last attempt', async () => {
  const { app } = suite;
  const { services } = app;
  const at = services.clock.now();
  const row = { id: 'evt_nobody', body: '{', attempts: 0, created_at: at, due_at: at };
  await services.platform.query.insertInto('sandbox_events').values(row).execute();
  const read = () =>
    services.platform.query.selectFrom('sandbox_events').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow();
  await sandboxOf(app).sandbox.sendEvents();
  const first = await read();
  expect(first.attempts).toBeGreaterThanOrEqual(1);
  expect((first.due_at ?? '') > at).toBe(true);
  const again = { attempts: 8, due_at: at };
  await services.platform.query.updateTable('sandbox_events').set(again).where('id', '=', row.id).execute();
  await sandboxOf(app).sandbox.sendEvents();
  expect(await read()).toMatchObject({ attempts: 9, due_at: null });
});
