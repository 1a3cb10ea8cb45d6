import { expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import type { SubscriptionsTable } from '../../src/db/tables/platform/billing.ts';
import { recordRevenue } from '../../src/features/operations/metrics/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { addTenantRow } from '../accounts/people.ts';
import { insertSubscription } from '../commerce/billing-data.ts';
import { useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';

const clock = useClock('2026-11-18T09:00:00.000Z');
const suite = useAdmin({ ADMIN_TOKEN_TTL_HOURS: '8760' });

async function addSubscription(fields: Partial<SubscriptionsTable>): Promise<string> {
  const tenant = await addTenantRow(suite.app, 'Paying');
  return insertSubscription(suite.app, tenant.id, { synced_at: suite.app.services.clock.now(), ...fields });
}

const metrics = async (query: string) => {
  return (await suite.asAdmin('GET', `/metrics?${query}`)).body.data;
};
const dayOf = (day: string, currency: string, amount: number) => {
  return { day_start: `${day}T00:00:00.000000Z`, currency, amount };
};

test('the revenue of each day is recorded once, a currency that ended with 0, and the current day is always current', async () => {
  const { platform } = suite.app.services;
  const record = () => recordRevenue(suite.app.services);
  const usd = await addSubscription({ currency: 'usd', amount: 500 });
  await addSubscription({ interval: 'year', amount: 12_000 });
  await record();
  clock.set('2026-11-19T09:00:00.000Z');
  await addSubscription({ amount: 2000 });
  await platform.query.updateTable('subscriptions').set({ status: 'canceled' }).where('id', '=', usd).execute();
  await Promise.all([record(), record(), record()]);
  clock.set('2026-11-20T09:00:00.000Z');
  await record();
  await addSubscription({ amount: 100 });

  const days = [
    dayOf('2026-11-18', 'eur', 1000),
    dayOf('2026-11-18', 'usd', 500),
    dayOf('2026-11-19', 'eur', 3000),
    dayOf('2026-11-19', 'usd', 0),
    dayOf('2026-11-20', 'eur', 3100),
  ];
  expect((await metrics('')).mrr_series).toEqual(days);
  expect((await metrics('from=2026-11-19T12:00:00Z&to=2026-11-20T00:00:00Z')).mrr_series).toEqual(days.slice(2, 4));
  expect((await metrics('interval=hour')).mrr_series).toEqual(days.slice(2));
});

test('the daily run of the platform records the revenue', async () => {
  const { runner, sweep } = createBackgroundJobs(suite.app.services);
  await sweep.sweepNext();
  clock.advance(86_400_000);
  await runner.runDue();
  const { mrr_series } = await metrics('');
  expect(mrr_series.at(-1)).toEqual(dayOf('2026-11-21', 'eur', 3100));
  const stored = suite.app.services.platform.query.selectFrom('revenue_days').selectAll();
  expect(await stored.where('day', '=', '2026-11-21').execute()).toMatchObject([{ currency: 'eur', amount: 3100 }]);
});

test('the troubles count dead jobs, dead mails and overdue subscriptions, and are null for one tenant', async () => {
  const { platform, clock: now } = suite.app.services;
  const at = now.now();
  expect((await metrics('')).troubles).toEqual({ dead_jobs: 0, dead_mails: 0, past_due: 0 });
  await addSubscription({ status: 'past_due', past_due_since: at });
  const dead = { id: newId(), sealed_message: 'x', attempts: 1, useful_until: null, last_error: 'no', created_at: at };
  await platform.query
    .insertInto('dead_mails')
    .values({ ...dead, died_at: at })
    .execute();
  const job = {
    subject_id: 'platform',
    kind: 'x',
    status: 'dead',
    due_at: null,
    wake_at: null,
    lease_owner: null,
  } as const;
  await platform.query
    .insertInto('jobs')
    .values({ ...job, attempts: 8, last_error: 'no', updated_at: at })
    .execute();
  expect((await metrics('')).troubles).toEqual({ dead_jobs: 1, dead_mails: 1, past_due: 1 });
  const tenant = await addTenantRow(suite.app, 'One');
  expect(await metrics(`tenant_id=${tenant.id}`)).toMatchObject({ troubles: null, mrr_series: [] });
});
