import { beforeAll, expect, test } from 'vitest';
import { refundInvoice } from '../../src/features/commerce/billing-admin/refund-service.ts';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { sandboxOf } from '../payments/sandbox-data.ts';
import { useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { type InvoiceAdmin, invoiceAdmin, paidInvoice, providerIdOf } from './admin-invoices.ts';
import { runKilled } from './killed-steps.ts';

const program = new URL('./killed-refund.ts', import.meta.url);
const clock = useClock(new Date().toISOString());
const suite = useAdmin({ PAYMENT_PROVIDER: 'sandbox' });
/** Longer than the wait of the job that completes a refund, and than a killed run, whose clock goes on. */
const downMs = 600_000;
const killsMax = 20;
const amount = 100;
let invoices: InvoiceAdmin;

beforeAll(async () => {
  invoices = invoiceAdmin(suite.app, suite.admin);
});

/** Returns the references at the provider, and the ids of the refunds and of the credit notes here, all sorted. */
async function booksOf(id: string) {
  const { query } = suite.app.services.platform;
  const atProvider = await sandboxOf(suite.app).payments.findInvoice(await providerIdOf(suite.app, id));
  const refunds = await query.selectFrom('refunds').selectAll().where('invoice_id', '=', id).execute();
  const notes = await query.selectFrom('credit_notes').selectAll().where('invoice_id', '=', id).execute();
  return {
    provider: (atProvider?.creditNotes ?? []).map(({ reference }) => reference).sort(),
    succeeded: refunds.flatMap((row) => (row.status === 'succeeded' ? [row.id] : [])).sort(),
    unfinished: refunds.filter(({ status }) => status !== 'succeeded').length,
    notes: notes.map(({ refund_id }) => refund_id).sort(),
    numbers: notes.map(({ number }) => number).sort((one, other) => one - other),
    refunded: (await invoices.read(id)).amount_refunded,
  };
}

test('a process that is killed at any step of a refund leaves neither a refund without a record nor a record without a refund', async () => {
  const { id, tenant } = await paidInvoice(suite.app, suite.admin, 10_000);
  const begun: string[] = [];
  let kills = 0;
  for (let steps = 1; ; steps += 1) {
    if (steps > killsMax) throw new Error(`A refund has more than ${killsMax} steps. Raise killsMax.`);
    const refundId = newId();
    const isFinished = await runKilled(suite.app, program, steps, [id, refundId, String(amount)]);
    const row = suite.app.services.platform.query.selectFrom('refunds').select('id').where('id', '=', refundId);
    const isStored = (await row.executeTakeFirst()) !== undefined;
    if (isStored) begun.push(refundId);
    // Before the refund is stored the provider was not asked. Every second refund is continued by its request.
    if (isStored && steps % 2 === 0) {
      const actor = { type: 'admin', id: suite.admin.id, requestId: null, ip: null } as const;
      await refundInvoice(suite.app.services, actor, id, { id: refundId, amount, reason: 'Crash' });
    }
    if (isFinished) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThanOrEqual(5);
  clock.advance(downMs);
  await runTenantJobs(suite.app);
  await runTenantJobs(suite.app);
  const all = begun.sort();
  expect(await booksOf(id)).toEqual({
    provider: all,
    succeeded: all,
    unfinished: 0,
    notes: all,
    numbers: all.map((_id, index) => index + 1),
    refunded: all.length * amount,
  });
  const mails = (await mailsTo(suite.app, tenant.owner.email)).filter((mail) => mail.includes('We have refunded'));
  expect(mails).toHaveLength(all.length);
}, 300_000);
