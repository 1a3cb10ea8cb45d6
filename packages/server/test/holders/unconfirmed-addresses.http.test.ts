import { beforeAll, describe, expect, test } from 'vitest';
import { reminderJob } from '../../src/features/holders/holder-mails/reminder-job.ts';
import { expiredJob } from '../../src/features/licensing/licenses/expiring-job.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { connectShop, offerItems } from '../sales/custom-shop.ts';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newLicense, newPolicy, newProduct } from '../support/licensing-catalog.ts';
import { mailsTo } from '../support/mails.ts';
import { askPortal, logInHolder, openPortal, requestLogin } from './portal-data.ts';

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenant();
const dayMs = 86_400_000;
let handle: string;
let count = 0;

beforeAll(async () => {
  handle = await openPortal(suite.tenant);
  const types = ['license.expired', 'license.suspended', 'license.reinstated', 'activation.created'];
  await suite.tenant.asOwner('PUT', '/mail-settings', { switches: types.map((type) => ({ type, is_on: true })) });
  await suite.tenant.asOwner('PUT', '/settings', { trials_per_address_max: 1000 });
});

/** Creates a product with trials of 14 days and a policy that is sold. */
async function offer() {
  const product = await newProduct(suite.tenant);
  const policy = await newPolicy(suite.tenant, { product_id: product.id, duration_days: 14, max_activations: 5 });
  const bought = await newPolicy(suite.tenant, { product_id: product.id, duration_days: 365 });
  await suite.tenant.asOwner('PUT', `/products/${product.id}`, { trial_policy_id: policy.id });
  return { product: product.code as string, boughtId: bought.id as string };
}

const start = (body: object) => suite.tenant.asApplication('/trials', { name: 'Evil text', ...body });

/** Starts a trial with an address that nobody confirmed. */
async function startUnconfirmed(fields: object = {}) {
  count += 1;
  const email = `stranger-${count}@trial.example.com`;
  const offered = await offer();
  const answer = await start({ product: offered.product, fingerprint: 'first', email, ...fields });
  expect(answer.status, answer.text).toBe(201);
  const { license_key: key } = answer.body.data;
  const { id } = (await suite.tenant.asOwner('GET', `/licenses?key=${key}`)).body.data[0];
  return { email, key, id: String(id), ...offered };
}

/** Returns the types of the mails to an address, oldest first. */
async function mailedTo(email: string): Promise<string[]> {
  const { body } = await suite.tenant.asOwner('GET', `/mails?recipient=${encodeURIComponent(email)}&limit=100`);
  return body.data.map(({ type }: { type: string }) => type).reverse();
}

const act = async (id: string, action: string, body?: object) => {
  const answer = await suite.tenant.asOwner('POST', `/licenses/${id}/${action}`, body);
  expect(answer.status, answer.text).toBeLessThan(300);
};
const askToLogIn = async (email: string) => {
  const answer = await askPortal(suite.app, handle, 'POST', '/login', { payload: { email } });
  await runTenantJobs(suite.app);
  return [answer.status, answer.body.data];
};

/** Runs a job of the tenant once. */
const runJob = (create: typeof reminderJob) =>
  suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
    create(suite.app.services).run({ tenantId: suite.tenant.id, db, signal: new AbortController().signal }),
  );

/** Returns the token of the link in the mail of the trial. */
async function tokenOfMail(email: string): Promise<string> {
  await runTenantJobs(suite.app);
  const [mail = ''] = await mailsTo(suite.app, email);
  const token = /#token=(\S+?)[)>\s]/.exec(mail)?.[1] ?? '';
  suite.app.secrets.note(token);
  return token;
}

const logIn = (token: string) => askPortal(suite.app, handle, 'POST', '/login/link', { payload: { token } });

/** Returns the newest code that was mailed to an address. */
function mailedCode(email: string): Promise<string> {
  const { tenants, keyring } = suite.app.services;
  return tenants.withTenantDb(suite.tenant.id, async ({ query }) => {
    const mails = query.selectFrom('holder_mails').select('sealed_values').where('recipient', '=', email);
    const row = await mails.where('type', '=', 'trial.confirm').orderBy('id', 'desc').executeTakeFirstOrThrow();
    return JSON.parse(keyring.open(row.sealed_values ?? '')).code;
  });
}

describe('before a confirmation', () => {
  test('an address that nobody confirmed gets the mail of its trial, and no later one: no change, reminder, end, login or trial of another product', async () => {
    const { email, id, key } = await startUnconfirmed();
    const known = await newLicense(suite.tenant, {}, { holder: { email: 'customer@trial.example.com' } });
    for (const action of ['rotate-key', 'suspend', 'reinstate', 'renew']) await act(id, action);
    expect(await askToLogIn(email)).toEqual(await askToLogIn(String(known.holder.email)));
    await askToLogIn(email.toUpperCase());
    expect((await start({ product: (await offer()).product, fingerprint: 'x', email })).status).toBe(201);
    const soon = (days: number) => ({ expires_at: new Date(Date.now() + days * dayMs).toISOString() });
    await suite.tenant.asOwner('PUT', `/licenses/${id}`, soon(6));
    await runJob(reminderJob);
    await suite.tenant.asOwner('PUT', `/licenses/${id}`, soon(1 / 1440));
    clock.advance(120_000);
    await runJob(expiredJob);
    expect(await mailedTo(email)).toEqual(['license.issued']);
    const mails = await mailsTo(suite.app, email);
    expect([mails.length, mails[0]?.includes('Evil'), mails[0]?.includes(key)]).toEqual([1, false, false]);
    expect(await mailedTo(String(known.holder.email))).toEqual(['license.issued', 'portal.login']);
  });

  test('an address that nobody confirmed gets one mail of concurrent trials of several products', async () => {
    const email = 'raced@trial.example.com';
    const products = await Promise.all(Array.from({ length: 5 }, offer));
    const answers = await Promise.all(products.map(({ product }) => start({ product, fingerprint: 'raced', email })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(await mailedTo(email)).toEqual(['license.issued']);
  });

  test('an address that nobody confirmed gets one code a day for further devices, with the same answer for the others', async () => {
    const { email, product } = await startUnconfirmed();
    for (const fingerprint of ['second', 'third', 'fourth']) {
      const { status, body } = await start({ product, fingerprint, email });
      expect([status, Object.keys(body.data).sort()]).toEqual([202, ['email', 'expires_at', 'status']]);
    }
    expect(await mailedTo(email)).toEqual(['license.issued', 'trial.confirm']);
  });

  test('an address that nobody confirmed gets the first mail to log in if the tenant sends no mail about licenses, and no second one', async () => {
    const type = 'license.issued';
    await suite.tenant.asOwner('PUT', '/mail-settings', { switches: [{ type, is_on: false }] });
    const { email } = await startUnconfirmed();
    await suite.tenant.asOwner('PUT', '/mail-settings', { switches: [{ type, is_on: null }] });
    for (let asked = 0; asked < 3; asked += 1) await askToLogIn(email);
    expect(await mailedTo(email)).toEqual(['portal.login']);
  });

  test('an address that nobody confirmed stays unconfirmed after an erasure of the customer, of whose address only a hash stays', async () => {
    const { email } = await startUnconfirmed();
    expect((await suite.tenant.asOwner('DELETE', `/customers/${email}`)).status).toBe(200);
    expect((await start({ product: (await offer()).product, fingerprint: 'again', email })).status).toBe(201);
    expect(await mailedTo(email)).toEqual([]);
    const rows = await suite.app.services.tenants.withTenantDb(suite.tenant.id, ({ query }) =>
      query.selectFrom('unconfirmed_addresses').selectAll().execute(),
    );
    expect(JSON.stringify(rows)).not.toContain('@');
  });
});

type Trial = Awaited<ReturnType<typeof startUnconfirmed>>;

describe('after a confirmation', () => {
  test.each<[what: string, confirm: (trial: Trial) => Promise<unknown>]>([
    [
      'a code of its trial',
      async ({ email, product }) => {
        await start({ product, fingerprint: 'second', email });
        const confirmed = await suite.tenant.asApplication('/trials/confirm', { code: await mailedCode(email) });
        expect(confirmed.status).toBe(200);
      },
    ],
    ['a login with the link of its mail', async ({ email }) => await logIn(await tokenOfMail(email))],
    [
      'a purchase',
      async ({ email }) => {
        const shop = await connectShop(suite.app, suite.tenant);
        await offerItems(shop, { single: { quantity: 'licenses' } });
        const buyer = { id: email, name: 'Ada', email };
        await shop.tell('sale.completed', { id: `sale-${email}`, buyer, items: [{ id: 'single', quantity: 1 }] });
      },
    ],
    ['a conversion of the trial', ({ id, boughtId }) => act(id, 'convert', { policy_id: boughtId })],
    ['a license that the vendor creates', ({ email }) => newLicense(suite.tenant, {}, { holder: { email } })],
    [
      'a license that the vendor gives to it',
      async ({ email }) => {
        const { id } = await newLicense(suite.tenant, {}, { holder: { email: `former-${email}` } });
        await suite.tenant.asOwner('PUT', `/licenses/${id}`, { holder: { email: email.toUpperCase() } });
      },
    ],
    [
      'a mail that the vendor sends',
      async ({ id }) => created(await suite.tenant.asOwner('POST', '/mails', { license_id: id })),
    ],
  ])('an address gets all mails again after %s', async (_what, confirm) => {
    const trial = await startUnconfirmed();
    await confirm(trial);
    const before = await mailedTo(trial.email);
    await act(trial.id, 'rotate-key');
    expect(await mailedTo(trial.email)).toEqual([...before, 'license.key_replaced']);
    expect((await requestLogin(suite.app, suite.tenant, handle, trial.email)).code).toMatch(/^\d{6}$/);
  });
});

describe('the link', () => {
  test('the link in the mail of a trial logs in once and within a week, and a link that the vendor creates confirms nothing', async () => {
    const { email, id } = await startUnconfirmed();
    await logInHolder(suite.app, suite.tenant, handle, id);
    await askToLogIn(email);
    expect(await mailedTo(email)).toEqual(['license.issued']);
    const token = await tokenOfMail(email);
    const late = await startUnconfirmed();
    const lateToken = await tokenOfMail(late.email);
    clock.advance(6 * dayMs);
    const first = await logIn(token);
    expect([first.status, first.body.data.email]).toEqual([200, email]);
    expect((await logIn(token)).status).toBe(422);
    clock.advance(dayMs + 60_000);
    expect((await logIn(lateToken)).status).toBe(422);
  });

  test('the link in the mail of a trial is not in a copy that the vendor sends, nor in the mail to a customer', async () => {
    const { email, id } = await startUnconfirmed();
    await tokenOfMail(email);
    const [mail] = (await suite.tenant.asOwner('GET', `/mails?license_id=${id}`)).body.data;
    created(await suite.tenant.asOwner('POST', `/mails/${mail.id}/resend`));
    const customer = 'owner@trial.example.com';
    await newLicense(suite.tenant, {}, { holder: { email: customer } });
    await start({ product: (await offer()).product, fingerprint: 'theirs', email: customer });
    await runTenantJobs(suite.app);
    const links = async (address: string) =>
      (await mailsTo(suite.app, address)).map((text) => [text.includes(`/portal/${handle}`), text.includes('#token=')]);
    expect(await links(email)).toEqual([
      [true, true],
      [true, false],
    ]);
    expect((await links(customer)).map(([, logsIn]) => logsIn)).not.toContain(true);
  });
});
