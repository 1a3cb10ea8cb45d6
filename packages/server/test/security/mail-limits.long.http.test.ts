import { describe, expect, test } from 'vitest';
import { transactWithEvents } from '../../src/features/tenant-core/events/outbox.ts';
import { type LimitedMail, mailLimits } from '../../src/mail/limits.ts';
import { asUser } from '../accounts/account-data.ts';
import { mailedLinks, post, postAs, register } from '../accounts/people.ts';
import { runPlatformRetention, runTenantJobs } from '../jobs/job-rows.ts';
import {
  type Account,
  addUser,
  createAdmin,
  createTenant,
  createUser,
  freshAddress,
  logIn,
  type TestTenant,
  testPassword,
} from '../support/accounts.ts';
import { type Answer, useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';

const suite = useApp();
const clock = useClock();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const newPassword = 'a password that is new';

let addresses = 0;
const freshEmail = () => `victim-${++addresses}@example.com`;

const newTenant = async () => createTenant(suite.app, await createAdmin(suite.app));
const invite = (tenant: TestTenant, email: string, role = 'viewer') =>
  tenant.asOwner('POST', '/members', { email, role });
const forgot = (email: string) => post(suite.app, '/forgot-password', { email });
const reset = (token: string | undefined) =>
  post(suite.app, '/reset-password', { token, password: newPassword }).then(({ status }) => status);
const changeAddress = (user: Account, email: string) =>
  asUser(suite.app, user, 'POST', '/email', { email, password: testPassword });
const subscribe = (email: string) =>
  suite.app.request({
    method: 'POST',
    url: '/api/v1/marketing/subscribe',
    payload: { email },
    remoteAddress: freshAddress(),
  });
const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const count = async (email: string) => (await mailsTo(suite.app, email)).length;

/** Notifies a tenant whose settings list an address, and runs the job that mails it. */
async function notify(tenant: TestTenant, email: string) {
  await tenant.asOwner('PUT', '/settings', { notification_emails: [email] });
  const { clock: now, tenants } = suite.app.services;
  for (let round = 0; round < 25; round += 1) {
    await tenants.withTenantDb(tenant.id, (db) =>
      transactWithEvents(suite.app.services, { id: tenant.id, db }, async (_tx, outbox) => {
        const fields = { type: 'test', severity: 'info' as const, title: 'Look', body: 'It happened.' };
        await outbox.notify({ ...fields, occurrence: String(++addresses), isUrgent: true, at: now.now() });
      }),
    );
    await runTenantJobs(suite.app);
  }
}

/** What a stranger does as often as possible within a minute. Returns the answers. */
type Attack = (email: string) => Promise<readonly Answer[] | undefined>;

/** An attack of each kind, with the address of an account, if the kind needs one. */
// test/holders attacks the login to the portal, and tests the limits of a tenant's mails.
const attacks: Readonly<
  Record<
    Exclude<LimitedMail, 'portal_login' | 'holder' | 'holder_test'>,
    { readonly mails: number; readonly attack: Attack }
  >
> = {
  registration: { mails: 5, attack: (email) => times(20, () => register(suite.app, email)) },
  password_reset: { mails: 5, attack: (email) => times(60, () => forgot(email)) },
  unverified_account: {
    // One of the mails is that of the registration.
    mails: 6,
    async attack(email) {
      await register(suite.app, email);
      for (let round = 0; round < 8; round += 1) {
        const user = await logIn(suite.app, email, 'tenant');
        const change = { current_password: testPassword, password: testPassword };
        expect((await asUser(suite.app, user, 'PUT', '', change)).status).toBe(200);
      }
      return undefined;
    },
  },
  address_change: {
    mails: 5,
    async attack(email) {
      const users = await times(8, () => createUser(suite.app));
      return Promise.all(users.map((user) => changeAddress(user, email)));
    },
  },
  invitation: {
    mails: 5,
    async attack(email) {
      const tenants: TestTenant[] = [];
      for (let index = 0; index < 8; index += 1) tenants.push(await newTenant());
      return Promise.all(tenants.map((tenant) => invite(tenant, email)));
    },
  },
  subscription: { mails: 2, attack: (email) => times(60, () => subscribe(email)) },
  notification: {
    mails: 20,
    async attack(email) {
      await notify(await newTenant(), email);
      return undefined;
    },
  },
};

describe('a stranger cannot fill a mailbox', () => {
  test.each(Object.entries(attacks))(
    'a minute of %s sends few mails to one address, with the same response each time, and further ones the next day',
    async (kind, { mails, attack }) => {
      const email = kind === 'password_reset' ? (await addUser(suite.app)).email : freshEmail();
      const answers = await attack(email);
      expect(await count(email)).toBe(mails);
      const seen = answers?.map(({ status, body }) => ({ status, error: body.error, fields: Object.keys(body.data) }));
      for (const answer of seen ?? []) expect(answer).toEqual(seen?.[0]);
      clock.advance(dayMs);
      await attack(email);
      expect(await count(email)).toBe(2 * mails);
    },
  );

  test('another spelling of an address does not get further mails', async () => {
    const { email } = await addUser(suite.app);
    await times(30, (index) => forgot(index % 2 === 0 ? email.toUpperCase() : email));
    expect(await count(email)).toBe(mailLimits.password_reset.address.hour);
  });

  test('above the limit of a day one link an hour is mailed, so that the owner always has one that works', async () => {
    const { email } = await addUser(suite.app);
    const mails: number[] = [];
    for (let hour = 0; hour < 8; hour += 1) {
      await times(10, () => forgot(email));
      mails.push(await count(email));
      clock.advance(hourMs);
    }
    expect(mails).toEqual([5, 10, 15, 16, 17, 18, 19, 20]);
    await forgot(email);
    expect(await reset((await mailedLinks(suite.app, email))['/reset-password'])).toBe(200);
  });

  test('the counters contain no address', async () => {
    const { email } = await addUser(suite.app);
    await forgot(email);
    const rows = await suite.app.services.platform.query.selectFrom('mail_counts').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    for (const { key_hash } of rows) expect(key_hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a tenant cannot send mail without end', () => {
  test('60 invitations of one address in a minute send three mails, and the others say that the own limit is used up', async () => {
    const tenant = await newTenant();
    const email = freshEmail();
    const answers = await times(60, () => invite(tenant, email));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error.code).toBe('MAIL.LIMIT_REACHED');
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(await count(email)).toBe(3);
    // A refused invitation does not end the link of the last one.
    const token = (await mailedLinks(suite.app, email))['/accept-invitation'];
    expect((await post(suite.app, '/invitation', { token })).status).toBe(200);
    clock.advance(dayMs);
    const again = await createTenantSession(tenant);
    expect((await invite(again, email)).status).toBe(201);
    expect(await count(email)).toBe(4);
  });

  test('a tenant sends 100 invitations a day, and the limit of one tenant does not count for another', async () => {
    const tenant = await newTenant();
    const { platform } = suite.app.services;
    await platform.query
      .updateTable('tenants')
      .set({ plan_code: 'free', limits_json: '{"max_members":null}' })
      .where('id', '=', tenant.id)
      .execute();
    const answers: number[] = [];
    for (let round = 0; round < 101; round += 1) answers.push((await invite(tenant, freshEmail())).status);
    expect(answers.filter((status) => status === 201)).toHaveLength(100);
    expect(answers.at(-1)).toBe(429);
    expect((await invite(await newTenant(), freshEmail())).status).toBe(201);
  });

  test('an invitation that replaces another one and is not mailed is opened by the link of the former one', async () => {
    const tenant = await newTenant();
    const email = freshEmail();
    expect((await invite(tenant, email)).status).toBe(201);
    const token = (await mailedLinks(suite.app, email))['/accept-invitation'];
    for (let index = 0; index < 4; index += 1) await invite(await newTenant(), email);
    const replaced = await invite(tenant, email, 'admin');
    expect(replaced.status).toBe(201);
    expect(await count(email)).toBe(5);
    const read = await post(suite.app, '/invitation', { token });
    expect(read.body.data).toMatchObject({ email, role: 'admin', tenant_name: 'Acme' });
  });

  test('a user changes the address at most ten times a day, and the last link stays valid', async () => {
    const user = await createUser(suite.app);
    const statuses: number[] = [];
    const email = freshEmail();
    for (let round = 0; round < 5; round += 1) statuses.push((await changeAddress(user, email)).status);
    expect((await changeAddress(user, email)).body.error.code).toBe('MAIL.LIMIT_REACHED');
    for (let round = 0; round < 4; round += 1) statuses.push((await changeAddress(user, freshEmail())).status);
    clock.advance(hourMs);
    statuses.push((await changeAddress(user, freshEmail())).status);
    expect(statuses).toEqual(Array(10).fill(202));
    const last = await changeAddress(user, freshEmail());
    expect({ status: last.status, code: last.body.error.code }).toEqual({ status: 429, code: 'MAIL.LIMIT_REACHED' });
    const token = (await mailedLinks(suite.app, `victim-${addresses - 1}@example.com`))['/change-email'];
    expect((await post(suite.app, '/change-email', { token })).status).toBe(200);
  });
});

/** The tenant with a new session of its owner, whose former one has ended. */
async function createTenantSession(tenant: TestTenant): Promise<TestTenant> {
  const owner = await logIn(suite.app, tenant.owner.email, 'tenant');
  const asOwner: TestTenant['asOwner'] = (method, path, payload) =>
    suite.app.request({
      method,
      url: `/api/v1/tenant${path}`,
      headers: owner.auth,
      ...(payload !== undefined && { payload }),
    });
  return { ...tenant, owner, asOwner };
}

describe('requesting another link does not end a link', () => {
  test('a link to choose a password stays valid when others are requested, until one of them is used', async () => {
    const { email } = await addUser(suite.app);
    await forgot(email);
    const first = (await mailedLinks(suite.app, email))['/reset-password'];
    await times(60, () => forgot(email));
    const others = (await mailsTo(suite.app, email)).map((mail) => /reset-password#token=([\w-]+)/.exec(mail)?.[1]);
    expect(new Set(others).size).toBe(5);
    expect(await reset(first)).toBe(200);
    for (const token of others) expect(await reset(token)).toBe(422);
  });

  test('links that verify an address stay valid together, and the use of one ends the others', async () => {
    const email = freshEmail();
    await register(suite.app, email);
    const first = (await mailedLinks(suite.app, email))['/verify-email'];
    const user = await logIn(suite.app, email, 'tenant');
    await postAs(suite.app, user.auth, '/email/resend');
    const second = (await mailedLinks(suite.app, email))['/verify-email'];
    expect(second).not.toBe(first);
    const verify = (token: string | undefined) => postAs(suite.app, user.auth, '/email/verify', { token });
    expect((await verify(first)).status).toBe(200);
    expect((await verify(second)).status).toBe(422);
  });

  test('the last link that confirms a subscription stays valid when no further one is mailed', async () => {
    const email = freshEmail();
    await times(20, () => subscribe(email));
    const mails = await mailsTo(suite.app, email);
    const tokens = mails.map((mail) => /confirm-subscription#token=([\w-]+)/.exec(mail)?.[1]);
    const answers = await Promise.all(
      tokens.map((token) =>
        suite.app.request({
          method: 'POST',
          url: '/api/v1/marketing/confirm',
          payload: { token },
          remoteAddress: freshAddress(),
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

describe('names in mails to strangers', () => {
  test.each([
    'Win at https://evil.example',
    'see www.evil.example',
    'WWW.EVIL.example',
    'two\nlines',
    'turned \u202e around',
    'admin@bank.example',
    'A" <evil@bank.example>, "B',
  ])('the name %j is refused for a tenant and for a person', async (name) => {
    const { app } = suite;
    const admin = await createAdmin(app);
    const tenant = await newTenant();
    const user = await createUser(app);
    const answers = [
      await app.request({
        method: 'POST',
        url: '/api/v1/admin/tenants',
        headers: admin.auth,
        payload: { name, owner_email: freshEmail() },
      }),
      await tenant.asOwner('PUT', '/settings', { name }),
      await asUser(app, user, 'PUT', '', { name }),
      await register(app, freshEmail(), { name }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(422);
      expect(body.error.details).toEqual([{ field: 'name', message: expect.stringMatching(/^Remove /) }]);
    }
  });

  test('a name like Booking.com is allowed, and is quoted without a link in the mail to a stranger', async () => {
    const tenant = await newTenant();
    expect((await tenant.asOwner('PUT', '/settings', { name: 'Booking.com “Ltd” il.example/x' })).status).toBe(200);
    const email = freshEmail();
    expect((await invite(tenant, email)).status).toBe(201);
    const [mail = ''] = await mailsTo(suite.app, email);
    expect(mail).toContain(
      "You are invited to join “Booking.\u2060com 'Ltd' il.\u2060example/\u2060x” with the role viewer",
    );
    expect(mail).not.toMatch(/Booking\.com|il\.example|example\/x/);
  });
});

test('counters of mail that have ended are deleted', async () => {
  const { email } = await addUser(suite.app);
  await times(10, () => forgot(email));
  const { platform } = suite.app.services;
  const rows = async () => (await platform.query.selectFrom('mail_counts').select('key_hash').execute()).length;
  expect(await rows()).toBeGreaterThan(0);
  clock.advance(dayMs + hourMs);
  await runPlatformRetention(suite.app.services, 'mail-retention');
  expect(await rows()).toBe(0);
});
