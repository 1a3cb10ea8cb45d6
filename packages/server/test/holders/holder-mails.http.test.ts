import { afterEach, describe, expect, test } from 'vitest';
import { reminderJob } from '../../src/features/holders/holder-mails/reminder-job.ts';
import { expiredJob } from '../../src/features/licensing/licenses/expiring-job.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { newRelease } from '../releases/release-data.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { created, eventsOf, newLicense, newPolicy } from '../support/licensing-catalog.ts';
import { readMessage, sendHolderMails, useMailServer } from './holder-mail-fixtures.ts';
import { openPortal } from './portal-data.ts';

const clock = useClock();
const server = useMailServer();
const suite = useApp(async () => ({ ...(await server.env()), HOLDER_MAILS_PER_DAY: '12', USER_TOKEN_TTL_DAYS: '365' }));
const dayMs = 86_400_000;
let count = 0;

afterEach(() => server.behave({}));

/** Returns an address that no other test uses. */
const freshHolder = () => {
  count += 1;
  return { name: 'Ada Lovelace', email: `ada-${count}@example.com` };
};
/** The admin is new too, because a test that moves the clock lets the token of the previous one expire. */
const newTenant = async () => createTenant(suite.app, await createAdmin(suite.app), 'Acme & Söhne');
const sentTo = (email: string) =>
  server
    .received()
    .filter(({ to }) => to.includes(email))
    .map(readMessage);
const subjectsTo = (email: string) => sentTo(email).map(({ header }) => header('subject'));
const mailsOf = async (tenant: TestTenant, query = '') =>
  (await tenant.asOwner('GET', `/mails?limit=100${query}`)).body.data;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

/** Creates a license with an address, and sends its mail. */
async function licenseOf(tenant: TestTenant, policy: object = {}, fields: object = {}) {
  const holder = freshHolder();
  const license = await newLicense(tenant, policy, { holder, ...fields });
  await sendHolderMails(suite.app, tenant);
  return { license, email: holder.email };
}

describe('a change mails the holder', () => {
  test('each change that a tenant switched on sends exactly its mail, and the key is in no other than two', async () => {
    const tenant = await newTenant();
    await tenant.asOwner('PUT', '/settings', { support_email: 'help@acme.example' });
    const types = ['license.suspended', 'license.reinstated', 'activation.created', 'license.expired'];
    await tenant.asOwner('PUT', '/mail-settings', { switches: types.map((type) => ({ type, is_on: true })) });
    const { license, email } = await licenseOf(tenant, { duration_days: 100, max_activations: 1 });
    const act = async (path: string) => (await tenant.asOwner('POST', `/licenses/${license.id}/${path}`)).body.data;
    await act('suspend');
    // The end moves, but nobody is told that a license was renewed that does not work.
    await act('renew');
    await sendHolderMails(suite.app, tenant);
    await act('reinstate');
    await sendHolderMails(suite.app, tenant);
    await act('renew');
    const { key } = await act('rotate-key');
    const trap = 'Laptop\r\n\nYour mailbox is locked: https://evil.example';
    const device = (fingerprint: string) => ({ fingerprint, name: trap, platform: 'macOS' });
    await tenant.asApplication(`/licenses/${key}/activations`, device('one'));
    for (let times = 0; times < 3; times += 1) {
      const refused = await tenant.asApplication(`/licenses/${key}/activations`, device('two'));
      expect(refused.body.error.code).toBe('ACTIVATION.LIMIT_REACHED');
    }
    await sendHolderMails(suite.app, tenant);
    const subjects = [
      'Your license for Editor',
      'Your license for Editor is suspended',
      'Your license for Editor works again',
      'Your license for Editor was renewed',
      'Your new license key for Editor',
      'A device was activated with your license for Editor',
      'All devices of your license for Editor are in use',
    ];
    expect(subjectsTo(email).sort()).toEqual(subjects.sort());
    const withKey = sentTo(email).filter(({ text, html }) =>
      [license.key, key].some((one) => (text + html).includes(one)),
    );
    expect(withKey.map(({ header }) => header('subject')).sort()).toEqual([
      'Your license for Editor',
      'Your new license key for Editor',
    ]);
    const [activated] = sentTo(email).filter(({ header }) => header('subject')?.startsWith('A device was activated'));
    for (const part of [activated?.text, activated?.html]) {
      expect(part).toMatch(/Laptop Your mailbox is locked: https/);
      expect(part).not.toMatch(/:\/\/evil|evil\.example/);
    }
    const mails = await mailsOf(tenant, `&license_id=${license.id}`);
    expect(mails.map(({ state, attempts }: { state: string; attempts: number }) => [state, attempts])).toEqual(
      subjects.map(() => ['sent', 1]),
    );
    expect(JSON.stringify(mails)).not.toContain(key);
    await suite.app.services.tenants.withTenantDb(tenant.id, async (db) => {
      const stored = JSON.stringify(await db.query.selectFrom('holder_mails').selectAll().execute());
      for (const secret of [key, license.key, 'Laptop']) expect(stored).not.toContain(secret);
    });
  });

  test('the mail with the key links to the downloads while the portal is open and a release is published', async () => {
    const tenant = await newTenant();
    const { product_id } = (await licenseOf(tenant)).license;
    const linkIn = async () => {
      const [mail] = sentTo((await licenseOf(tenant, { product_id })).email);
      const [link = null] = /https?:[^\s")]+#downloads/.exec(mail?.text ?? '') ?? [];
      expect(mail?.html.includes('#downloads')).toBe(link !== null);
      return link;
    };
    await newRelease(tenant, product_id, '1.0.0');
    expect(await linkIn()).toBeNull();
    const handle = await openPortal(tenant);
    expect(await linkIn()).toMatch(new RegExp(`/portal/${handle}/licenses/[0-9a-f-]{36}#downloads$`));
    expect(sentTo((await licenseOf(tenant)).email)[0]?.text).not.toContain('#downloads');
  });

  test('the mail comes in the name of the tenant, answers go to its support address, and both parts say the same', async () => {
    const tenant = await newTenant();
    await tenant.asOwner('PUT', '/settings', { support_email: 'help@acme.example' });
    const name = 'Eve"\\ <b>*x*</b> [link](https://evil.example) {{license_key}}';
    // It looks the same, and mail programs find no address in it.
    const shown = name
      .replace('https://evil.example', 'https:\u2060/\u2060/\u2060evil.\u2060example')
      .replace('</b>', '</\u2060b>');
    const holder = { ...freshHolder(), name };
    const license = await newLicense(tenant, {}, { holder });
    await sendHolderMails(suite.app, tenant);
    const [mail] = sentTo(holder.email);
    expect(mail?.header('from')).toMatch(/^(=\?UTF-8\?\S+ ?)+ <licensing@example\.com>$/);
    expect(mail?.header('reply-to')).toBe('help@acme.example');
    expect(mail?.header('message-id')).toMatch(/^<[0-9a-f-]{36}@example\.com>$/);
    expect(mail?.text).toContain(`Hello ${shown},`);
    expect(mail?.text).toContain(license.key);
    expect(mail?.html).toContain(shown.slice(shown.indexOf('<b>')).replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
    expect(mail?.html).not.toMatch(/<b>|href="https:\/\/evil/);
    expect(mail?.html.match(/Acme &amp; Söhne/g)?.length).toBeGreaterThan(1);
  });

  test('the mail of a new license says how long a term lasts that has not begun, and which devices are tolerated', async () => {
    const tenant = await newTenant();
    const devices = { max_activations: 2, activation_overage_percent: 50 };
    const term = { duration_months: 12, ends_with_month: true, expiry_basis: 'first_activation' };
    const { email } = await licenseOf(tenant, { ...term, ...devices });
    const [{ text } = { text: '' }] = sentTo(email);
    expect(text).toContain('Valid for: 1 year from first activation, until the end of that month\n');
    expect(text).toContain('Devices: 2 devices, and 1 more is tolerated\n');
    expect(text).not.toContain('Valid until');
  });

  test('a request decides for its mail, a product for its licenses, and the tenant for the rest', async () => {
    const tenant = await newTenant();
    const quiet = await newPolicy(tenant);
    const loud = await newPolicy(tenant);
    const put = (payload: object) => tenant.asOwner('PUT', '/mail-settings', payload);
    const type = 'license.issued';
    await put({
      switches: [
        { type, is_on: false },
        { type, product_id: loud.product_id, is_on: true },
      ],
    });
    const issue = async (policy_id: string, fields: object = {}) => {
      const holder = freshHolder();
      const made = created(await tenant.asOwner('POST', '/licenses', { policy_id, holder, ...fields }));
      return (await mailsOf(tenant, `&license_id=${made.id}`)).length;
    };
    expect(await issue(quiet.id)).toBe(0);
    expect(await issue(loud.id)).toBe(1);
    expect(await issue(quiet.id, { notify_holder: true })).toBe(1);
    expect(await issue(loud.id, { notify_holder: false })).toBe(0);
    await put({
      switches: [
        { type, is_on: null },
        { type, product_id: loud.product_id, is_on: null },
      ],
    });
    expect(await issue(quiet.id)).toBe(1);
    const changes = await eventsOf(tenant, tenant.id);
    expect(changes.filter((event) => event === 'MAIL_SETTINGS.UPDATED')).toHaveLength(2);
  });

  test('an import sends no mail unless the request asks for it', async () => {
    const tenant = await newTenant();
    const { code } = await newPolicy(tenant);
    const upload = (query: string) =>
      suite.app.request({
        method: 'POST',
        url: `/api/v1/tenant/licenses/import${query}`,
        headers: { ...tenant.owner.auth, 'content-type': 'text/csv' },
        payload: `policy,holder_email\n${code},a@example.com\n${code},b@example.com\n${code},\n`,
      });
    expect((await upload('')).body.data.created).toBe(3);
    expect(await mailsOf(tenant)).toEqual([]);
    expect((await upload('?notify_holder=true')).body.data.created).toBe(3);
    expect(await mailsOf(tenant)).toHaveLength(2);
    expect((await upload('?notify_holder=true&partial=true')).body.data.created).toBe(3);
    expect(await mailsOf(tenant)).toHaveLength(4);
  });

  test('a change that is rolled back, or changes nothing, sends no mail', async () => {
    const tenant = await newTenant();
    const { license } = await licenseOf(tenant, {}, { order_number: 'A-1' });
    const twice = { policy_id: license.policy_id, holder: freshHolder(), order_number: 'A-1' };
    expect((await tenant.asOwner('POST', '/licenses', twice)).status).toBe(409);
    await tenant.asOwner('PUT', `/licenses/${license.id}`, { metadata: {}, notify_holder: true });
    expect(await mailsOf(tenant)).toHaveLength(1);
  });
});

describe('reminders', () => {
  const remind = (tenant: TestTenant) =>
    suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
      reminderJob(suite.app.services).run({ tenantId: tenant.id, db, signal: new AbortController().signal }),
    );

  test('a holder is reminded once on each of the days, and again after a renewal', async () => {
    const tenant = await newTenant();
    const { license, email } = await licenseOf(tenant, {}, { expires_at: inDays(40) });
    const reminders = async () => {
      for (let times = 0; times < 2; times += 1) {
        await remind(tenant);
        await sendHolderMails(suite.app, tenant);
      }
      return subjectsTo(email).filter((subject) => subject?.includes('ends on')).length;
    };
    expect(await reminders()).toBe(0);
    for (const [days, total] of [
      [11, 1],
      [10, 1],
      [13, 2],
      [5, 3],
    ] as const) {
      clock.advance(days * dayMs);
      expect(await reminders()).toBe(total);
    }
    await tenant.asOwner('PUT', `/licenses/${license.id}`, { expires_at: inDays(20), notify_holder: false });
    expect(await reminders()).toBe(4);
    await tenant.asOwner('PUT', '/mail-settings', { expiring_days: [15] });
    clock.advance(6 * dayMs);
    expect(await reminders()).toBe(5);
  });

  test('a reminder waits in vain once the license is renewed, suspended, deleted or has another address', async () => {
    const tenant = await newTenant();
    const licenses = [];
    for (let times = 0; times < 5; times += 1) licenses.push(await licenseOf(tenant, {}, { expires_at: inDays(5) }));
    const [renewed, suspended, deleted, moved, kept] = licenses.map(({ license }) => `/licenses/${license.id}`);
    await remind(tenant);
    await tenant.asOwner('PUT', `${renewed}`, { expires_at: inDays(500), notify_holder: false });
    await tenant.asOwner('POST', `${suspended}/suspend`);
    await tenant.asOwner('DELETE', `${deleted}`);
    await tenant.asOwner('PUT', `${moved}`, { holder: { email: 'other@example.com' } });
    await sendHolderMails(suite.app, tenant);
    const mails = await mailsOf(tenant, '&type=license.expiring');
    const states = new Map(
      mails.map((mail: { license_id: string; state: string }) => [`/licenses/${mail.license_id}`, mail.state]),
    );
    const cancelled = [renewed, suspended, deleted, moved].map((path) => states.get(path));
    expect([...cancelled, states.get(kept)]).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled', 'sent']);
    expect(mails.find((mail: { state: string }) => mail.state === 'cancelled').reason).toMatch(/license/);
  });

  test('a license without a longer term than the days is not reminded, and its end is mailed if that is switched on', async () => {
    const tenant = await newTenant();
    await tenant.asOwner('PUT', '/mail-settings', { switches: [{ type: 'license.expired', is_on: true }] });
    const { email } = await licenseOf(tenant, { duration_days: 7 });
    await remind(tenant);
    clock.advance(6.5 * dayMs);
    await remind(tenant);
    await sendHolderMails(suite.app, tenant);
    clock.advance(dayMs);
    await suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
      expiredJob(suite.app.services).run({ tenantId: tenant.id, db, signal: new AbortController().signal }),
    );
    await sendHolderMails(suite.app, tenant);
    expect(subjectsTo(email).slice(1)).toEqual([
      expect.stringMatching(/^Your license for Editor ends on \d+ \w+ \d{4}$/),
      'Your license for Editor has ended',
    ]);
  });
});

describe('sending', () => {
  const refusing = (code: number) => server.behave({ onMessage: () => code });

  test('a refused mail shows the words of the server, and a person can send it again', async () => {
    const tenant = await newTenant();
    server.behave({ onRecipient: () => 550 });
    const { license, email } = await licenseOf(tenant);
    const [mail] = await mailsOf(tenant, '&state=refused');
    expect(mail).toMatchObject({ recipient: email, attempts: 1, license_id: license.id, server: 'service' });
    expect(mail.reason).toMatch(/550.*is not here/);
    expect(mail.reason).not.toContain(email);
    server.behave({});
    const again = created(await tenant.asOwner('POST', `/mails/${mail.id}/resend`));
    expect(again).toMatchObject({ resent_from: mail.id, state: 'queued', recipient: email });
    expect((await tenant.asOwner('POST', `/mails/${again.id}/resend`)).body.error.code).toBe('MAIL.NOT_REPEATABLE');
    await sendHolderMails(suite.app, tenant);
    expect(sentTo(email)).toHaveLength(1);
    expect(await eventsOf(tenant, again.id)).toEqual(['MAIL.RESENT']);
  });

  test('a mail that the server does not accept now is tried again later under the same Message-ID until it is sent', async () => {
    const tenant = await newTenant();
    const ids: (string | undefined)[] = [];
    server.behave({
      onMessage(message) {
        ids.push(/^message-id: (.*)$/im.exec(message)?.[1]?.trim());
        return ids.length < 4 ? 451 : undefined;
      },
    });
    const { email } = await licenseOf(tenant);
    for (const minutes of [1, 2, 5]) {
      const [waiting] = await mailsOf(tenant, '&state=queued');
      expect(Date.parse(waiting.next_attempt_at) - Date.now()).toBe(minutes * 60_000);
      expect(await sendHolderMails(suite.app, tenant)).toBe(waiting.next_attempt_at);
      clock.advance(minutes * 60_000);
      await sendHolderMails(suite.app, tenant);
    }
    expect(sentTo(email)).toHaveLength(1);
    expect([ids.length, new Set(ids).size]).toEqual([4, 1]);
  });

  test('a mail is given up after a week without an answer that accepts it', async () => {
    const tenant = await newTenant();
    refusing(451);
    await licenseOf(tenant);
    clock.advance(7 * dayMs);
    await sendHolderMails(suite.app, tenant);
    expect((await mailsOf(tenant))[0]).toMatchObject({ state: 'refused', reason: expect.stringContaining('451') });
  });

  test('a mail that cannot be written waits with a reason and does not delay the others', async () => {
    const tenant = await newTenant();
    const policy = await newPolicy(tenant);
    const newHolder = async () =>
      created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id, holder: freshHolder() }));
    await newHolder();
    await suite.app.services.tenants.withTenantDb(tenant.id, ({ query }) =>
      query.updateTable('holder_mails').set({ sealed_values: 'of a lost key' }).execute(),
    );
    await newHolder();
    await sendHolderMails(suite.app, tenant);
    const [sent, waiting] = await mailsOf(tenant);
    expect([sent.state, waiting.state, waiting.reason]).toEqual([
      'sent',
      'queued',
      'The service could not write the mail.',
    ]);
  });

  test('mails above the daily limit wait until tomorrow, and the tenant is told so', async () => {
    const tenant = await newTenant();
    const policy = await newPolicy(tenant);
    for (let times = 0; times < 14; times += 1) {
      created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id, holder: freshHolder() }));
    }
    await sendHolderMails(suite.app, tenant);
    expect(await mailsOf(tenant, '&state=sent')).toHaveLength(12);
    const { data } = (await tenant.asOwner('GET', '/notifications')).body;
    expect(data.map(({ type }: { type: string }) => type)).toContain('holder_mail.limit_reached');
    clock.advance(dayMs);
    await sendHolderMails(suite.app, tenant);
    expect(await mailsOf(tenant, '&state=sent')).toHaveLength(14);
  });

  test('the job of the service sends a queued mail without anybody who waits for it', async () => {
    const tenant = await newTenant();
    const holder = freshHolder();
    await newLicense(tenant, {}, { holder });
    await runTenantJobs(suite.app);
    expect(sentTo(holder.email)).toHaveLength(1);
  });

  test.each(['2027-06-30', '2027-07-01T07:00:00Z'])(
    'a license that ends at %s is valid until that day',
    async (expires_at) => {
      const tenant = await newTenant();
      await tenant.asOwner('PUT', '/settings', { timezone: 'America/Los_Angeles' });
      const { email } = await licenseOf(tenant, {}, { expires_at, maintenance_expires_at: expires_at });
      expect(sentTo(email)[0]?.text).toContain('Valid until: 30 June 2027');
    },
  );

  test('a person sends a license to its holder, whatever is switched off', async () => {
    const tenant = await newTenant();
    await tenant.asOwner('PUT', '/mail-settings', { switches: [{ type: 'license.issued', is_on: false }] });
    const license = await newLicense(tenant, {}, {});
    const send = () => tenant.asOwner('POST', '/mails', { license_id: license.id });
    expect((await send()).body.error.code).toBe('LICENSE.HOLDER_EMAIL_MISSING');
    const holder = freshHolder();
    await tenant.asOwner('PUT', `/licenses/${license.id}`, { holder });
    created(await send());
    await sendHolderMails(suite.app, tenant);
    expect(sentTo(holder.email)[0]?.text).toContain(license.key);
  });
});
