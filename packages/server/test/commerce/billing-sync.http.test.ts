import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { billingSyncJob, dunningJob } from '../../src/features/commerce/billing/billing-job.ts';
import { enqueueBillingSync } from '../../src/features/commerce/billing/enqueue.ts';
import { syncSubscription } from '../../src/features/commerce/billing/sync-service.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import { newId } from '../../src/lib/ids.ts';
import { isMailFileOf, mailDirectory } from '../../src/mail/transport.ts';
import type { ProviderInvoice, ProviderSubscription } from '../../src/payments/provider.ts';
import { createTenant, type TestTenant, useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { invoiceOf, type RecordedProvider, recordedProvider, subscriptionOf } from './recorded-provider.ts';

useClock('2026-11-20T12:00:00.000Z');
const suite = useAdmin();
let pro: string;
let team: string;

beforeAll(async () => {
  pro = await makePlan('Pro');
  team = await makePlan('Team');
});

async function makePlan(name: string): Promise<string> {
  const code = newId();
  const payload = { code, name, prices: [{ interval: 'month', currency: 'usd', amount: 2900 }] };
  const answer = await suite.asAdmin('POST', '/catalog/plans', payload);
  expect(answer.status, answer.text).toBe(201);
  return code;
}

interface Bought {
  readonly tenant: TestTenant;
  readonly provider: RecordedProvider;
  readonly id: string;
  /** Changes the subscription at the provider. */
  set(fields: Partial<ProviderSubscription>): void;
  /** Syncs the subscription. */
  sync(): ReturnType<typeof syncSubscription>;
}

/** Creates a tenant with a subscription at its own provider, which is not synced yet. */
async function buy(fields: Partial<ProviderSubscription> = {}): Promise<Bought> {
  const { app } = suite;
  const tenant = await createTenant(app, suite.admin);
  const provider = recordedProvider();
  const subscription = subscriptionOf({ planCode: pro, ...fields });
  const { id, customerId } = subscription;
  const at = app.services.clock.now();
  await app.services.platform.query
    .insertInto('billing_customers')
    .values({
      tenant_id: tenant.id,
      provider: 'sandbox',
      provider_customer_id: customerId,
      created_at: at,
      updated_at: at,
    })
    .execute();
  provider.subscriptions.set(id, subscription);
  provider.invoices.set(id, [invoiceOf(subscription)]);
  return {
    tenant,
    provider,
    id,
    set: (changed) => {
      provider.subscriptions.set(id, { ...(provider.subscriptions.get(id) ?? subscription), ...changed });
    },
    sync: () => syncSubscription(app.services, provider, id),
  };
}

const tenantOf = async ({ tenant }: Bought) => (await suite.asAdmin('GET', `/tenants/${tenant.id}`)).body.data;
const rowOf = ({ id }: Bought) =>
  suite.app.services.platform.query
    .selectFrom('subscriptions')
    .selectAll()
    .where('provider_subscription_id', '=', id)
    .executeTakeFirst();
const invoicesOf = ({ tenant }: Bought) =>
  suite.app.services.platform.query
    .selectFrom('invoices')
    .selectAll()
    .where('tenant_id', '=', tenant.id)
    .orderBy('number')
    .execute();
const auditOf = async (resourceId: string) => {
  const rows = suite.app.services.platform.query.selectFrom('audit_logs').select('event');
  return (await rows.where('resource_id', '=', resourceId).orderBy('occurred_at').orderBy('id').execute()).map(
    ({ event }) => event,
  );
};

/** Makes a payment fail for the first time at the given time. */
function failPayment(bought: Bought, at: string): void {
  const subscription = bought.provider.subscriptions.get(bought.id);
  if (subscription === undefined) throw new Error('There is no subscription.');
  bought.provider.moment = at;
  bought.set({ status: 'past_due' });
  const open = {
    status: 'open',
    amountDue: 2900,
    amountPaid: 0,
    paidAt: null,
    finalizedAt: at,
    createdAt: at,
  } as const;
  bought.provider.invoices.get(bought.id)?.push(invoiceOf(subscription, open));
}

function payOpen(bought: Bought): void {
  const invoices = bought.provider.invoices.get(bought.id) ?? [];
  const paid = invoices.map((invoice) =>
    invoice.status === 'open'
      ? ({ ...invoice, status: 'paid', amountDue: 0, amountPaid: 2900, paidAt: bought.provider.moment } as const)
      : invoice,
  );
  bought.provider.invoices.set(bought.id, paid);
  bought.set({ status: 'active' });
}

describe('the sync of a subscription', () => {
  test('the first sync stores a subscription with its invoices, applies its plan and is audited once', async () => {
    const bought = await buy();
    for (let time = 1; time <= 3; time += 1) expect((await bought.sync()).outcome).toBe('written');
    const row = await rowOf(bought);
    expect(row).toMatchObject({ tenant_id: bought.tenant.id, status: 'active', plan_code: pro, amount: 2900 });
    expect(await tenantOf(bought)).toMatchObject({ plan_code: pro, status: 'active' });
    expect(await auditOf(row?.id ?? '')).toEqual(['SUBSCRIPTION.CREATED']);
    const [invoice] = await invoicesOf(bought);
    expect(invoice).toMatchObject({ number: 1, status: 'paid', total: 2900 });
    expect((await auditOf(invoice?.id ?? '')).sort()).toEqual(['INVOICE.FINALIZED', 'INVOICE.PAID']);
  });

  test('the sync applies a changed plan to the tenant', async () => {
    const bought = await buy();
    await bought.sync();
    bought.set({ planCode: team });
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ plan_code: team });
    expect(await auditOf((await rowOf(bought))?.id ?? '')).toEqual(['SUBSCRIPTION.CREATED', 'SUBSCRIPTION.UPDATED']);
  });

  test('an older reading never replaces a newer one', async () => {
    const bought = await buy();
    await bought.sync();
    let late: Promise<unknown> | undefined;
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const began = new Promise<void>((resolve) => {
      bought.provider.beforeRead = () => {
        resolve();
        return held;
      };
      late = bought.sync();
    });
    await began;
    bought.provider.beforeRead = () => Promise.resolve();
    bought.set({ planCode: team });
    expect((await bought.sync()).outcome).toBe('written');
    letGo();
    expect(await late).toEqual({ outcome: 'outdated' });
    expect(await tenantOf(bought)).toMatchObject({ plan_code: team });
  });

  test('an ended subscription gives the free plan once, so that a later decision of an operator stays', async () => {
    const bought = await buy();
    await bought.sync();
    bought.set({ status: 'canceled', canceledAt: bought.provider.moment });
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ plan_code: 'free', status: 'active' });
    await suite.asAdmin('PATCH', `/tenants/${bought.tenant.id}`, { plan_code: team });
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ plan_code: team });
    expect((await auditOf((await rowOf(bought))?.id ?? '')).at(-1)).toBe('SUBSCRIPTION.CANCELED');
  });

  test('the end of an old subscription does not change the plan of a new one', async () => {
    const bought = await buy();
    await bought.sync();
    const { customerId } = bought.provider.subscriptions.get(bought.id) ?? { customerId: '' };
    const next = subscriptionOf({ planCode: team, customerId, createdAt: '2026-11-20T13:00:00.000000Z' });
    bought.provider.subscriptions.set(next.id, next);
    await syncSubscription(suite.app.services, bought.provider, next.id);
    expect(await tenantOf(bought)).toMatchObject({ plan_code: team });
    bought.set({ status: 'canceled' });
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ plan_code: team });
  });

  test('a subscription without a tenant becomes a visible orphan, and its checkout is continued', async () => {
    const provider = recordedProvider();
    const reference = newId();
    const lost = subscriptionOf({ planCode: pro, reference });
    provider.subscriptions.set(lost.id, lost);
    for (let time = 1; time <= 2; time += 1) {
      expect(await syncSubscription(suite.app.services, provider, lost.id)).toEqual({ outcome: 'orphan' });
    }
    const { query } = suite.app.services.platform;
    const orphans = query
      .selectFrom('orphan_subscriptions')
      .selectAll()
      .where('provider_subscription_id', '=', lost.id);
    expect(await orphans.execute()).toMatchObject([{ reference, reason: 'no_tenant', status: 'active' }]);
    const jobs = await query.selectFrom('jobs').selectAll().where('subject_id', '=', reference).execute();
    expect(jobs).toMatchObject([{ kind: 'onboarding' }]);
  });

  test('the sync of a subscription with an unknown plan has no effect on the tenant', async () => {
    const bought = await buy({ planCode: 'unheard-of' });
    expect((await bought.sync()).outcome).toBe('orphan');
    expect(await tenantOf(bought)).toMatchObject({ plan_code: 'free' });
  });
});

describe('invoice numbers', () => {
  test('twenty invoices that are finalized concurrently get numbers without gaps and duplicates', async () => {
    const bought = await buy();
    const { customerId } = bought.provider.subscriptions.get(bought.id) ?? { customerId: '' };
    const others = Array.from({ length: 20 }, (_, index) => {
      const other = subscriptionOf({ planCode: pro, customerId, amount: 100 + index });
      bought.provider.subscriptions.set(other.id, other);
      bought.provider.invoices.set(other.id, [invoiceOf(other), invoiceOf(other, { status: 'void' })]);
      return other.id;
    });
    const results = await Promise.all(others.map((id) => syncSubscription(suite.app.services, bought.provider, id)));
    expect(results.every(({ outcome }) => outcome === 'written')).toBe(true);
    const numbers = (await invoicesOf(bought)).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  test('an invoice gets its number when it is finalized and keeps it when it is void', async () => {
    const bought = await buy();
    const [paid] = bought.provider.invoices.get(bought.id) ?? [];
    if (paid === undefined) throw new Error('There is no invoice.');
    const at = '2026-11-21T00:00:00.000000Z';
    const states: (readonly [ProviderInvoice['status'], number | null])[] = [
      ['draft', null],
      ['open', 2],
      ['void', 2],
    ];
    for (const [status, number] of states) {
      const next = { ...paid, id: 'in_next', status, createdAt: at, finalizedAt: status === 'draft' ? null : at };
      bought.provider.invoices.set(bought.id, [paid, next]);
      await bought.sync();
      const rows = (await invoicesOf(bought)).filter((row) => row.provider_invoice_id === 'in_next');
      expect(rows.map((row) => [row.status, row.number])).toEqual([[status, number]]);
    }
  });

  test('a draft that the provider no longer lists is deleted and uses no number', async () => {
    const bought = await buy();
    const list = bought.provider.invoices.get(bought.id) ?? [];
    bought.provider.invoices.set(bought.id, [...list, { ...list[0], id: 'in_lost', status: 'draft' } as never]);
    await bought.sync();
    bought.provider.invoices.set(bought.id, list);
    await bought.sync();
    expect((await invoicesOf(bought)).map(({ number }) => number)).toEqual([1]);
  });
});

test('only the status and the payment of a finalized invoice change, whatever the provider returns', async () => {
  const bought = await buy();
  const subscription = bought.provider.subscriptions.get(bought.id);
  if (subscription === undefined) throw new Error('There is no subscription.');
  const open = invoiceOf(subscription, { status: 'open', amountDue: 2900, amountPaid: 0, paidAt: null });
  bought.provider.invoices.set(bought.id, [open]);
  await bought.sync();
  const [before] = await invoicesOf(bought);
  const line = { description: 'Changed', quantity: 9, amount: 1, periodStartsAt: null, periodEndsAt: null };
  const changed = {
    subtotal: 1,
    tax: 2,
    total: 3,
    currency: 'eur',
    lines: [line],
    finalizedAt: '2026-12-01T00:00:00.000000Z',
  };
  const paid = { status: 'paid', amountDue: 0, amountPaid: 2900, paidAt: '2026-11-21T00:00:00.000000Z' } as const;
  bought.provider.invoices.set(bought.id, [{ ...open, ...changed, ...paid }]);
  await bought.sync();
  const [after] = await invoicesOf(bought);
  const { updated_at: _one, ...rest } = before ?? { updated_at: '' };
  const { updated_at: _other, ...now } = after ?? { updated_at: '' };
  const payment = { status: 'paid', amount_due: 0, amount_paid: 2900, paid_at: paid.paidAt };
  expect(now).toEqual({ ...rest, ...payment, receipted_at: expect.any(String) });
});

describe('a failed payment', () => {
  const subjects = async ({ tenant }: Bought) =>
    (await mailsTo(suite.app, tenant.owner.email)).map((mail) => mail.split('\n')[0] ?? '');

  test('a failed payment is mailed once per stage and suspends, and a payment restores the tenant', async () => {
    const bought = await buy();
    await bought.sync();
    const told = (await subjects(bought)).length;
    failPayment(bought, '2026-12-20T12:00:00.000000Z');
    const stages: [string, string, number][] = [
      ['2026-12-20T12:00:00.000000Z', 'active', 1],
      ['2026-12-24T00:00:00.000000Z', 'active', 2],
      ['2026-12-26T12:00:00.000000Z', 'active', 3],
      ['2026-12-27T11:59:59.999999Z', 'active', 3],
      ['2026-12-27T12:00:00.000000Z', 'suspended', 4],
    ];
    for (const [moment, status, mails] of stages) {
      bought.provider.moment = moment;
      for (let time = 1; time <= 2; time += 1) await bought.sync();
      expect([moment, (await tenantOf(bought)).status]).toEqual([moment, status]);
      expect([moment, (await subjects(bought)).length - told]).toEqual([moment, mails]);
    }
    const last = (await mailsTo(suite.app, bought.tenant.owner.email)).at(-1);
    expect(last).toContain('https://pay.example.com/in');
    expect(last).toContain('USD 29.00');
    expect((await bought.tenant.asOwner('GET', '/products')).body.error.code).toBe('TENANT.STATUS.SUSPENDED');
    payOpen(bought);
    for (let time = 1; time <= 2; time += 1) await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ status: 'active', plan_code: pro });
    // The mail that the tenant is active again, and the receipt.
    expect((await subjects(bought)).length - told).toBe(6);
    // A purge of the tenant deletes all of them.
    const files = await readdir(mailDirectory(suite.app.config));
    expect(files.filter((name) => isMailFileOf(bought.tenant.id, name))).toHaveLength(told + 6);
    expect((await auditOf(bought.tenant.id)).filter((event) => /SUSPENDED|REINSTATED/.test(event))).toEqual([
      'TENANT.SUSPENDED',
      'TENANT.REINSTATED',
    ]);
  });

  test('a payment does not restore a tenant that an operator suspended', async () => {
    const bought = await buy();
    await bought.sync();
    failPayment(bought, '2026-12-20T12:00:00.000000Z');
    bought.provider.moment = '2026-12-28T12:00:00.000000Z';
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ status: 'suspended' });
    await suite.asAdmin('PATCH', `/tenants/${bought.tenant.id}`, { status: 'suspended' });
    payOpen(bought);
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ status: 'suspended' });
  });

  test('a payment does not reopen a closed tenant', async () => {
    const bought = await buy();
    await bought.sync();
    await suite.asAdmin('PATCH', `/tenants/${bought.tenant.id}`, { status: 'closed' });
    bought.set({ status: 'unpaid' });
    await bought.sync();
    bought.set({ status: 'active' });
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ status: 'closed' });
  });

  test('an unpaid subscription suspends at once, and its end restores the tenant on the free plan', async () => {
    const bought = await buy();
    await bought.sync();
    failPayment(bought, '2026-12-20T12:00:00.000000Z');
    bought.set({ status: 'unpaid' });
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ status: 'suspended', plan_code: pro });
    bought.set({ status: 'canceled' });
    await bought.sync();
    expect(await tenantOf(bought)).toMatchObject({ status: 'active', plan_code: 'free' });
  });

  test('the end of the grace period suspends without an event, and the tenant gets one notification, which the payment marks as read', async () => {
    const bought = await buy();
    const services = { ...suite.app.services, payments: bought.provider };
    const jobs = [dunningJob(services), billingSyncJob(services)];
    const runner = createJobRunner({ ...services, metrics: services.metrics.jobs, jobs });
    await bought.sync();
    failPayment(bought, '2026-12-20T12:00:00.000000Z');
    await bought.sync();
    for (const moment of ['2026-12-24T00:00:00.000000Z', '2026-12-27T12:00:00.000000Z']) {
      bought.provider.moment = moment;
      // The sandbox does the same when its clock is advanced.
      const dunning = services.platform.query.updateTable('jobs').where('kind', '=', 'dunning');
      await dunning.set({ due_at: services.clock.now() }).execute();
      await runner.runDue();
    }
    expect(await tenantOf(bought)).toMatchObject({ status: 'suspended' });
    payOpen(bought);
    await bought.sync();
    const notifications = await bought.tenant.asOwner('GET', '/notifications?type=payment.failed');
    expect(notifications.body.data).toMatchObject([{ severity: 'critical', title: 'A payment failed', read_at: null }]);
    await services.platform.transaction((tx) => enqueueBillingSync(tx, bought.id, services.clock.now()));
    await runner.runDue();
    const settled = await bought.tenant.asOwner('GET', '/notifications?type=payment.failed');
    expect(settled.body.data).toMatchObject([{ title: 'A payment failed', read_at: expect.any(String) }]);
  });
});
