import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServices } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createSubscriber, monthlyPrice, offerPlan } from '../commerce/buyers.ts';
import { buy, price } from '../payments/sandbox-data.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestSite } from '../support/harness.ts';
import { newPolicy } from '../support/licensing-catalog.ts';
import { type MeasuredService, startMeasured } from './measured-service.ts';

const env = { PAYMENT_PROVIDER: 'sandbox' };
/** Subscriptions of tenants, whose payments the service mirrors. */
const tenantSubscriptions = 5;
/** Further subscriptions at the provider, without the cost of a tenant each. */
const otherSubscriptions = 150;
const importedRows = 20_000;
const yearSeconds = 366 * 86_400;
/** Events of the year that are awaited after it has passed; all of them would take minutes. */
const awaitedEvents = 200;

/** Only ends a test that hangs: the work takes long on a busy machine. */
const timeoutMs = 240_000;

/** The guarantee: no work of the service lets its other requests wait for longer. */
const turnMaxMs = 100;

let site: TestSite;
let service: MeasuredService;
let admin: Account;
let tenant: TestTenant;
let file: string;

beforeAll(async () => {
  site = await createSite();
  const app = await startApp(site, env);
  admin = await createAdmin(app);
  tenant = await createTenant(app, admin);
  const { id: policyId } = await newPolicy(tenant, { duration_days: 30 });
  const rows = Array.from(
    { length: importedRows },
    (_, index) => `KEY-${index},${policyId},Person ${index},person-${index}@example.com,order-${index}`,
  );
  file = ['key,policy_id,holder_name,holder_email,holder_reference', ...rows, ''].join('\n');
  const plan = await offerPlan(app, admin, [monthlyPrice]);
  for (let bought = 0; bought < tenantSubscriptions; bought += 1) await createSubscriber(app, admin, plan);
  for (let bought = 0; bought < otherSubscriptions; bought += 1) await buy(app, price(plan.code, 2900));
  await stopApp(app);
  service = await startMeasured({ ...site.env, ...env });
  await warmUp();
});

/** The first request of a process loads and compiles code, whatever its size. That turn is not of this suite. */
async function warmUp(): Promise<void> {
  const body = file.split('\n').slice(0, 2).join('\n');
  await send(tenant.owner, 'POST', '/api/v1/tenant/licenses/import?dry_run=true', { body, type: 'text/csv' });
  await send(tenant.owner, 'GET', '/api/v1/tenant/licenses/export?format=csv');
  const [invoice] = JSON.parse((await send(admin, 'GET', '/api/v1/admin/invoices?status=paid')).text).data;
  const document = await send(admin, 'GET', `/api/v1/admin/invoices/${invoice.id}/pdf`);
  if (document.status !== 200) throw new Error(document.text);
  await service.longestTurns();
}

afterAll(async () => {
  await service.stop();
  await site.remove();
});

interface Sent {
  readonly body: string;
  readonly type: string;
}

/** Sends a request and reads the whole response. */
async function send({ auth }: Account, method: 'GET' | 'POST', path: string, sent?: Sent) {
  const headers = { ...auth, ...(sent && { 'content-type': sent.type }) };
  const response = await fetch(`${service.address}${path}`, { method, headers, ...(sent && { body: sent.body }) });
  return { status: response.status, text: await response.text() };
}

const importFile = (query = '') =>
  send(tenant.owner, 'POST', `/api/v1/tenant/licenses/import${query}`, { body: file, type: 'text/csv' });

/** Fails unless every turn of the event loop since the last call was short. */
async function expectShortTurns(): Promise<void> {
  const { cpuMs } = await service.longestTurns();
  expect(cpuMs).toBeLessThan(turnMaxMs);
}

test(
  'an import of 20,000 rows, its refusal, and an export block the event loop for less than 100 ms',
  async () => {
    const imported = await importFile();
    expect([imported.status, JSON.parse(imported.text).data]).toMatchObject([200, { created: importedRows }]);
    await expectShortTurns();
    // Every key is taken now.
    const refused = await importFile();
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([422, 'IMPORT.REJECTED']);
    const partial = await importFile('?partial=true');
    expect([partial.status, JSON.parse(partial.text).data]).toMatchObject([200, { failed: importedRows }]);
    await expectShortTurns();
    const exported = await send(tenant.owner, 'GET', '/api/v1/tenant/licenses/export?format=csv');
    expect(exported.text.split('\n')).toHaveLength(importedRows + 2);
    await expectShortTurns();
  },
  timeoutMs,
);

test(
  'a year of the sandbox with 155 subscriptions blocks the event loop for less than 100 ms',
  async () => {
    const { platform, close } = await openServices(loadConfig({ ...site.env, ...env }), {
      logger: pino({ level: 'silent' }),
    });
    const countWaiting = async () => {
      const waiting = platform.query.selectFrom('sandbox_events').where('due_at', 'is not', null);
      const { count } = await waiting.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
      return count;
    };
    const body = JSON.stringify({ advance_seconds: yearSeconds });
    const advanced = await send(admin, 'POST', '/api/v1/admin/billing/sandbox/clock', {
      body,
      type: 'application/json',
    });
    expect(advanced.status).toBe(200);
    const waiting = await countWaiting();
    await expect.poll(countWaiting, { timeout: timeoutMs }).toBeLessThan(Math.max(1, waiting - awaitedEvents));
    await expectShortTurns();
    await close();
  },
  timeoutMs,
);
