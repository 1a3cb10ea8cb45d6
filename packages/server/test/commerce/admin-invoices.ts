import { paySandboxInvoice } from '../../src/payments/sandbox/provider-calls.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { card, sandboxOf } from '../payments/sandbox-data.ts';
import { type Account, createTenant, type TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';

/** The requests of an admin about invoices. */
export interface InvoiceAdmin {
  send(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object, key?: string): Promise<Answer>;
  /** Creates the draft of a single invoice of one line, and returns the response. */
  create(tenant: Pick<TestTenant, 'id'>, amount: number, fields?: object, key?: string): Promise<Answer>;
  /** Returns the view of an invoice. */
  read(id: string): Promise<Answer['body']>;
  /** Returns the events of the platform's audit log about an invoice, the oldest first. */
  events(id: string): Promise<string[]>;
}

/** Returns the requests of an admin. `node` is the service that gets them. */
export function invoiceAdmin(node: TestApp, admin: Account): InvoiceAdmin {
  const send: InvoiceAdmin['send'] = (method, path, payload, key) =>
    node.request({
      method,
      url: `/api/v1/admin${path}`,
      headers: { ...admin.auth, ...(key && { 'idempotency-key': key }) },
      ...(payload && { payload }),
    });
  return {
    send,
    create(tenant, amount, fields = {}, key) {
      const lines = [{ description: 'Migration', quantity: 1, unit_amount: amount }];
      return send(
        'POST',
        '/invoices',
        { tenant_id: tenant.id, currency: 'eur', lines, due_in_days: 14, ...fields },
        key,
      );
    },
    read: async (id) => (await send('GET', `/invoices/${id}`)).body.data,
    async events(id) {
      const { body } = await send('GET', `/audit?resource_id=${id}&limit=100`);
      return body.data.map((row: { event: string }) => row.event).reverse();
    },
  };
}

/** Returns the id of an invoice at the provider. */
export async function providerIdOf(app: TestApp, id: string): Promise<string> {
  const invoices = app.services.platform.query.selectFrom('invoices').select('provider_invoice_id');
  return (await invoices.where('id', '=', id).executeTakeFirstOrThrow()).provider_invoice_id;
}

/** Pays an open invoice at the provider, on its page. */
export async function payInvoice(app: TestApp, id: string): Promise<void> {
  const { sandbox } = sandboxOf(app);
  await paySandboxInvoice(sandbox.context, await providerIdOf(app, id), card('good'));
}

/** Creates a tenant with a paid single invoice of that amount, and returns the id of the invoice. */
export async function paidInvoice(app: TestApp, admin: Account, amount: number) {
  const tenant = await createTenant(app, admin);
  const invoices = invoiceAdmin(app, admin);
  const draft = await invoices.create(tenant, amount);
  if (draft.status !== 201) throw new Error(draft.text);
  const { id } = draft.body.data;
  await invoices.send('POST', `/invoices/${id}/finalize`);
  await payInvoice(app, id);
  await runTenantJobs(app);
  return { id: id as string, tenant };
}
