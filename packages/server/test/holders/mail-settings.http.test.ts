import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { engine, useClock } from '../support/harness.ts';
import { badFields, eventsOf, newLicense } from '../support/licensing-catalog.ts';
import { selfSigned } from '../support/self-signed.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { readMessage, sendHolderMails, useMailServer } from './holder-mail-fixtures.ts';

const clock = useClock();
const server = useMailServer();
const suite = useTenant(async () => ({ ...(await server.env()), WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' }));
const type = 'license.issued';
/** Mail servers have few ports, and the suites of both engines run at the same time. */
const ownPort = engine === 'sqlite' ? 2525 : 2587;
const asOwner = (...request: Parameters<typeof suite.tenant.asOwner>) => suite.tenant.asOwner(...request);

describe('templates', () => {
  const put = (template: object, of: string = type) => asOwner('PUT', `/mail-templates/${of}`, template);
  const good = { subject: 'Hi {{holder_name}}', body: 'Key: `{{license_key}}`' };

  test.for([
    [
      'an unknown variable',
      { ...good, body: 'a {{licence_key}} b {{ foo }}' },
      [/\{\{licence_key\}\}.*license_key/, /\{\{foo\}\}/],
    ],
    ['a variable of another type of mail', { ...good, body: '{{days_left}}' }, [/\{\{days_left\}\}/]],
    ['a variable that is not closed', { ...good, body: 'Key: {{license_key' }, [/has no \}\}/]],
    ['a variable that is not opened', { ...good, subject: 'Key license_key}}' }, [/has no \{\{/]],
    [
      'the key in the subject',
      { ...good, subject: 'Key {{license_key}}' },
      [/Use \{\{license_key\}\} only in the text/],
    ],
    ['a link that runs a script', { ...good, body: '[a](javascript:alert(1))' }, [/javascript:alert/]],
    ['a link to data', { ...good, body: '[a](data:text/html,x)' }, [/data:text/]],
    ['a link without a scheme', { ...good, body: '[a](/portal)' }, [/\/portal/]],
    ['a link to a variable that is not an address', { ...good, body: '[a]({{holder_name}})' }, [/holder_name/]],
    ['formatting that makes a large mail', { ...good, body: '`a` '.repeat(5_000) }, [/at most 100 KB are allowed/]],
  ] as const)('a text with %s is refused by its name and changes nothing', async ([, template, messages]) => {
    const before = (await asOwner('GET', `/mail-templates/${type}`)).body.data;
    const refused = await put(template);
    expect(refused.status).toBe(422);
    const details: { message: string }[] = refused.body.error.details;
    expect(details).toHaveLength(messages.length);
    for (const [index, message] of messages.entries()) expect(details[index]?.message).toMatch(message);
    expect((await asOwner('POST', `/mail-templates/${type}/preview`, template)).status).toBe(422);
    expect((await asOwner('GET', `/mail-templates/${type}`)).body.data).toEqual(before);
  });

  test('an unknown type is a 404, and a subject of two lines a 422', async () => {
    expect((await put(good, 'license.deleted')).status).toBe(404);
    expect(badFields(await put({ ...good, subject: 'a\nBcc: eve@example.com' }))).toEqual(['subject']);
  });

  test('HTML in a text is shown as text, values are never read as Markdown, and nothing is loaded from elsewhere', async () => {
    const body = [
      '<script>alert(1)</script> <img src=x onerror=alert(1)> ![pixel](https://evil.example/p.png)',
      'Hello **{{holder_name}}**, see [our page](https://acme.example/?for={{holder_name}})',
      'Or open {{portal_url}}',
      '- {{order_number}}\n- {{product_name}}',
      '1. one\n2. two',
      '> quoted',
    ].join('\n\n');
    const { html, text } = (await asOwner('POST', `/mail-templates/${type}/preview`, { ...good, body })).body.data;
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toMatch(/<script|<img/);
    expect(html).toContain('<strong>Ada Lovelace</strong>');
    expect(html).toContain('href="https://acme.example/?for=Ada%20Lovelace"');
    // The tenant has no portal, so the paragraph that needs its address is left out.
    expect(text).not.toContain('portal');
    expect(text).toContain('- A-1042\n- Acme Editor\n\n1. one\n2. two\n\n> quoted\n\n-- \nAcme');
  });

  test('a changed text is sent, is audited, and returns to the default', async () => {
    const { status, body } = await put({
      subject: 'Für {{holder_name}}',
      body: 'Hallo {{holder_name}}: `{{license_key}}`',
    });
    expect([status, body.data.is_default]).toEqual([200, false]);
    const holder = { name: 'Zoë', email: 'zoe@example.com' };
    const license = await newLicense(suite.tenant, {}, { holder });
    await sendHolderMails(suite.app, suite.tenant);
    const mail = readMessage(server.received().at(-1) as never);
    expect(mail.text).toContain(`Hallo Zoë: ${license.key}`);
    const [listed] = (await asOwner('GET', `/mails?recipient=ZOE@example.com`)).body.data;
    expect(listed.subject).toBe('Für Zoë');
    expect((await asOwner('DELETE', `/mail-templates/${type}`)).body.data.is_default).toBe(true);
    expect(await eventsOf(suite.tenant, type)).toEqual(['MAIL_TEMPLATE.RESET', 'MAIL_TEMPLATE.UPDATED']);
  });

  test.each(['en', 'de', 'fr'])(
    'every default text in %s can be previewed, leaves no variable open, and can be stored as it is',
    async (language) => {
      const { data } = (await asOwner('GET', `/mail-templates?language=${language}`)).body;
      expect(data).toHaveLength(12);
      for (const { type: of, language: its, subject, body } of data) {
        const path = (end: string) => `${of}${end}?language=${language}`;
        const preview = await asOwner('POST', `/mail-templates/${path('/preview')}`, { subject, body });
        expect([of, its, preview.status]).toEqual([of, language, 200]);
        expect(preview.body.data.html).toContain(`<html lang="${language}">`);
        expect(JSON.stringify(preview.body.data)).not.toMatch(/\{\{|undefined|null,/);
        expect((await put({ subject, body }, path(''))).body.data.is_default).toBe(true);
      }
    },
  );

  test('each language has its own text, and the default language is for holders whose language is unknown', async () => {
    const { subject } = (await put({ ...good, subject: 'Für {{holder_name}}' }, `${type}?language=de`)).body.data;
    expect(subject).toBe('Für {{holder_name}}');
    const [english] = (await asOwner('GET', '/mail-templates')).body.data;
    expect([english.language, english.is_default]).toEqual(['en', true]);
    const settings = async (payload: object) => (await asOwner('PUT', '/mail-settings', payload)).body.data;
    expect((await settings({ default_language: 'de' })).default_language).toBe('de');
    await newLicense(suite.tenant, {}, { holder: { name: 'Zoë', email: 'zoe-de@example.com' } });
    await sendHolderMails(suite.app, suite.tenant);
    const [listed] = (await asOwner('GET', '/mails?recipient=zoe-de@example.com')).body.data;
    expect(listed.subject).toBe('Für Zoë');
    await settings({ default_language: 'en' });
    await asOwner('DELETE', `/mail-templates/${type}?language=de`);
    expect(await eventsOf(suite.tenant, `${type} de`)).toEqual(['MAIL_TEMPLATE.RESET', 'MAIL_TEMPLATE.UPDATED']);
    expect((await asOwner('GET', '/mail-templates?language=es')).status).toBe(422);
  });

  test('a test goes to the address of the request, has sample values, and is limited by day', async () => {
    const to = 'tester@example.com';
    const test = () => asOwner('POST', `/mail-templates/${type}/test`, { ...good, to });
    expect((await test()).body.data).toEqual({ to });
    expect(readMessage(server.received().at(-1) as never).text).toContain('ACME-7K2QX');
    let last = await test();
    for (let times = 0; times < 25 && last.status === 200; times += 1) last = await test();
    expect([last.status, last.body.error.code]).toEqual([429, 'MAIL.LIMIT_REACHED']);
    expect(server.received().filter((mail) => mail.to.includes(to))).toHaveLength(20);
    expect((await asOwner('GET', '/mails?recipient=tester@example.com')).body.data).toEqual([]);
  });
});

describe('the settings', () => {
  test('keep every field that is set, and return to the defaults', async () => {
    const read = async () => (await asOwner('GET', '/mail-settings')).body.data;
    const before = await read();
    expect([before.expiring_days, before.server]).toEqual([[30, 7, 1], null]);
    const on = before.types.filter((one: { is_on: boolean }) => one.is_on).map((one: { type: string }) => one.type);
    expect(on).toEqual([
      'license.issued',
      'license.key_replaced',
      'license.renewed',
      'license.expiring',
      'activation.limit_reached',
      'portal.device_released',
    ]);
    const changed = await asOwner('PUT', '/mail-settings', {
      expiring_days: [3, 60],
      switches: [{ type, is_on: false }],
    });
    expect(changed.body.data.expiring_days).toEqual([60, 3]);
    expect(changed.body.data.types[0]).toEqual({ type, is_on: false, is_default: false, products: [] });
    expect(await read()).toEqual(changed.body.data);
    await asOwner('PUT', '/mail-settings', { expiring_days: null, switches: [{ type, is_on: null }] });
    expect(await read()).toEqual(before);
  });

  test.for([
    [{ expiring_days: [0] }, ['expiring_days.0']],
    [{ switches: [{ type: 'portal.login', is_on: false }] }, ['switches.0.type']],
    [
      { switches: [{ type, product_id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9a0', is_on: true }] },
      ['switches.0.product_id'],
    ],
  ] as const)('%j is refused with the names of the fields', async ([payload, fields]) => {
    expect(badFields(await asOwner('PUT', '/mail-settings', payload))).toEqual(fields);
  });
});

describe('a mail server of the tenant', () => {
  let own: TestSmtpServer;
  let logins: string[] = [];
  const password = 'the password of the mail server';
  const trusted = tls.getCACertificates('default');

  beforeAll(async () => {
    // The certificate of the test server is self-signed.
    tls.setDefaultCACertificates([...trusted, selfSigned.cert]);
    own = await startSmtpServer(
      {
        authOptional: false,
        onAuth: (auth, _session, done) => {
          logins.push(`${auth.username} ${auth.password}`);
          done(auth.password === password ? null : new Error('who are you'), { user: auth.username });
        },
      },
      {},
      ownPort,
    );
  });
  afterAll(async () => {
    tls.setDefaultCACertificates(trusted);
    await own.stop();
  });
  afterEach(async () => {
    logins = [];
    await asOwner('DELETE', '/mail-settings/server');
  });

  const input = () => ({
    host: 'localhost',
    port: ownPort,
    security: 'starttls',
    user: 'acme',
    password,
    from_address: 'licenses@acme.example',
    test_recipient: 'owner@acme.example',
  });
  const set = (changes: object = {}) => asOwner('PUT', '/mail-settings/server', { ...input(), ...changes });
  const stored = async () => (await asOwner('GET', '/mail-settings')).body.data.server;

  test('is used after it has accepted a test mail, with its sender, and its password is never shown or stored in clear', async () => {
    suite.app.secrets.note(password);
    const proved = await set();
    expect(proved.body.data.server).toMatchObject({
      host: 'localhost',
      port: ownPort,
      user: 'acme',
      proved_at: expect.any(String),
    });
    expect(proved.text).not.toContain(password);
    expect(own.received.at(-1)).toMatchObject({ to: ['owner@acme.example'], user: 'acme', isEncrypted: true });
    await newLicense(suite.tenant, {}, { holder: { email: 'own@example.com' } });
    await sendHolderMails(suite.app, suite.tenant);
    const mail = own.received.at(-1);
    expect(mail).toMatchObject({ from: 'licenses@acme.example', to: ['own@example.com'] });
    expect(readMessage(mail as never).header('from')).toBe('Acme <licenses@acme.example>');
    const [listed] = (await asOwner('GET', '/mails?recipient=own@example.com')).body.data;
    expect([listed.state, listed.server]).toEqual(['sent', 'own']);
    expect(await eventsOf(suite.tenant, suite.tenant.id)).toContain('MAIL_SERVER.UPDATED');
  });

  test.for([
    ['a wrong password', { password: 'wrong' }, /who are you/],
    ['a name without an address', { host: 'mail.invalid' }, /has no address/],
    ['a private address', { host: '10.0.0.1' }, /private or reserved/],
    ['the address of a metadata service', { host: '169.254.169.254' }, /private or reserved/],
    ['a port that nobody serves', { port: 587 }, /ECONNREFUSED/],
  ] as const)(
    'with %s is refused with the reason, and the server before it stays in use',
    async ([, changes, words]) => {
      await set();
      const before = await stored();
      const refused = await set(changes);
      expect([refused.status, refused.body.error.code]).toEqual([422, 'MAIL.NOT_ACCEPTED']);
      expect(refused.body.error.message).toMatch(words);
      expect(await stored()).toEqual(before);
    },
  );

  test('needs the password again for another host, port or user, so that nobody has it sent elsewhere', async () => {
    const { password: _password, ...without } = input();
    expect(badFields(await asOwner('PUT', '/mail-settings/server', without))).toEqual(['password']);
    await set();
    logins = [];
    expect(
      (await asOwner('PUT', '/mail-settings/server', { ...without, from_address: 'new@acme.example' })).status,
    ).toBe(200);
    expect(logins).toEqual([`acme ${password}`]);
    for (const changes of [{ host: '127.0.0.1' }, { port: 587 }, { user: 'eve' }]) {
      expect(badFields(await asOwner('PUT', '/mail-settings/server', { ...without, ...changes }))).toEqual([
        'password',
      ]);
    }
    expect(badFields(await asOwner('PUT', '/mail-settings/server', { ...input(), port: 6379 }))).toEqual(['port']);
  });

  test('that goes away later delays the mails, tells the tenant once a day, and loses none', async () => {
    await set();
    await own.stop();
    await newLicense(suite.tenant, {}, { holder: { email: 'late@example.com' } });
    const next = await sendHolderMails(suite.app, suite.tenant);
    expect(Date.parse(String(next)) - Date.now()).toBe(60_000);
    const [waiting] = (await asOwner('GET', '/mails?recipient=late@example.com')).body.data;
    expect([waiting.state, waiting.reason]).toEqual(['queued', expect.stringContaining('ECONNREFUSED')]);
    clock.advance(60_000);
    await sendHolderMails(suite.app, suite.tenant);
    const { data } = (await asOwner('GET', '/notifications')).body;
    const notices = data.filter((one: { type: string }) => one.type === 'holder_mail.server_failed');
    expect(notices).toHaveLength(1);
    await asOwner('DELETE', '/mail-settings/server');
    clock.advance(180_000);
    await sendHolderMails(suite.app, suite.tenant);
    const [sent] = (await asOwner('GET', '/mails?recipient=late@example.com')).body.data;
    expect([sent.state, sent.server]).toEqual(['sent', 'service']);
  });
});
