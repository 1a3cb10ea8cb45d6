import { describe, expect, onTestFinished, test } from 'vitest';
import { parseSmtpUrl } from '../../src/config/server-urls.ts';
import { createMailQueue } from '../../src/mail/queue.ts';
import { createSmtpTransport, type Mail } from '../../src/mail/transport.ts';
import { useApp, useClock } from '../support/harness.ts';
import { selfSigned } from '../support/self-signed.ts';
import { type SmtpBehaviour, startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

const clock = useClock();
const suite = useApp();

const minuteMs = 60_000;
const mail: Mail = { to: 'ada@example.com', subject: 'Grüße', text: 'the text', html: '<p>the text</p>' };

/** Creates a queue on the suite's database that sends through a real server, which stops with the test. */
async function setUp(
  options: {
    readonly query?: string;
    readonly user?: string;
    readonly ca?: string | null;
    readonly scheme?: string;
  } = {},
  behaviour: SmtpBehaviour = {},
  serverOptions: Parameters<typeof startSmtpServer>[0] = {},
) {
  const server = await startSmtpServer(serverOptions, behaviour);
  onTestFinished(() => server.stop());
  return { server, ...queueTo(server, options) };
}

const file = { filename: 'invoice-1.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1 \xff\x00') };

/** Renders one invoice, `known`, unless it fails; every other document was deleted. */
const documents = {
  isFailing: false,
  render(attachment: { readonly id: string }) {
    if (documents.isFailing) return Promise.reject(new Error('the database is away'));
    return Promise.resolve(attachment.id === 'known' ? file : undefined);
  },
};

function queueTo(
  { port }: Pick<TestSmtpServer, 'port'>,
  { query = '', user = '', ca = selfSigned.cert, scheme = 'smtp' }: NonNullable<Parameters<typeof setUp>[0]> = {},
) {
  const { services } = suite.app;
  const target = parseSmtpUrl(`${scheme}://${user}127.0.0.1:${port}${query}`);
  if ('problem' in target) throw new Error(target.problem);
  const transport = createSmtpTransport(target, ca === null ? {} : { ca });
  const queue = createMailQueue({
    ...services,
    metrics: services.metrics.mail,
    transport,
    renderAttachment: documents.render,
  });
  onTestFinished(() => queue.close());
  const enqueue = (changes: Partial<Mail> = {}) =>
    services.platform.transaction((tx) => queue.enqueue(tx, { ...mail, ...changes }));
  return { queue, enqueue };
}

const rowsOf = (table: 'mails' | 'dead_mails') =>
  suite.app.services.platform.query.selectFrom(table).selectAll().orderBy('id').execute();

async function deleteMails(): Promise<void> {
  await suite.app.services.platform.query.deleteFrom('mails').execute();
  await suite.app.services.platform.query.deleteFrom('dead_mails').execute();
}

describe('SMTP transport', () => {
  test('a mail arrives with text and HTML, from the configured sender to its only recipient', async () => {
    const { server, queue, enqueue } = await setUp();
    await enqueue({ headers: { 'List-Unsubscribe': '<https://example.com/u?token=x>' } });
    expect((await queue.deliverDue()).sent).toBe(1);
    const [received] = server.received;
    expect(received).toMatchObject({ from: 'licensing@localhost', to: ['ada@example.com'], isEncrypted: false });
    for (const line of [
      'From: Licensing <licensing@localhost>',
      'To: ada@example.com',
      'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
      'List-Unsubscribe: <https://example.com/u?token=x>',
      'Auto-Submitted: auto-generated',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Type: text/html; charset=utf-8',
    ]) {
      expect(received?.message).toContain(`${line}\r\n`);
    }
  });

  test('an attachment is stored as a reference, is rendered at the attempt, and arrives byte for byte', async () => {
    const { server, queue, enqueue } = await setUp();
    await enqueue({ attachments: [{ document: 'invoice', id: 'known' }] });
    expect((await rowsOf('mails'))[0]?.sealed_message.length).toBeLessThan(600);
    documents.isFailing = true;
    expect((await queue.deliverDue()).sent).toBe(0);
    expect(server.received).toEqual([]);
    documents.isFailing = false;
    clock.advance(2 * minuteMs);
    expect((await queue.deliverDue()).sent).toBe(1);
    const message = server.received[0]?.message ?? '';
    expect(message).toContain('Content-Type: multipart/mixed');
    expect(message).toContain('Content-Type: application/pdf; name=invoice-1.pdf\r\n');
    expect(message).toContain('Content-Disposition: attachment; filename=invoice-1.pdf\r\n');
    expect(message).toContain(`\r\n${file.content.toString('base64')}\r\n`);
    expect(message).toContain('Content-Type: text/plain; charset=utf-8');
  });

  test('a mail whose document was deleted is sent without it', async () => {
    const { server, queue, enqueue } = await setUp();
    await enqueue({ attachments: [{ document: 'credit_note', id: 'gone' }] });
    expect((await queue.deliverDue()).sent).toBe(1);
    expect(server.received[0]?.message).not.toContain('attachment');
  });

  test('30 mails need at most five connections', async () => {
    const { server, queue, enqueue } = await setUp();
    for (let index = 0; index < 30; index += 1) await enqueue();
    expect((await queue.deliverDue()).sent).toBe(30);
    expect(server.received).toHaveLength(30);
    expect(server.connections()).toBeLessThanOrEqual(5);
  });

  test.each([
    ['starttls', { query: '?tls=required' }, {}],
    ['implicit', { scheme: 'smtps' }, { secure: true }],
  ] as const)('a mail is encrypted with %s TLS', async (_tls, options, serverOptions) => {
    const { server, queue, enqueue } = await setUp(options, {}, serverOptions);
    await enqueue();
    expect((await queue.deliverDue()).sent).toBe(1);
    expect(server.received[0]?.isEncrypted).toBe(true);
  });

  test.each([
    ['offers no TLS', { query: '?tls=required' }, { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }],
    ['has an untrusted certificate', { query: '?tls=required', ca: null }, {}],
    ['has an untrusted certificate for implicit TLS', { scheme: 'smtps', ca: null }, { secure: true }],
  ])('a mail stays queued if the server %s', async (_what, options, serverOptions) => {
    const { server, queue, enqueue } = await setUp(options, {}, serverOptions);
    await enqueue();
    expect((await queue.deliverDue()).sent).toBe(0);
    expect(server.received).toEqual([]);
    expect(await rowsOf('mails')).toMatchObject([{ attempts: 1, last_error: expect.any(String) }]);
    await deleteMails();
  });

  test('the transport logs in with the credentials of the URL, and a mail stays queued if they are refused', async () => {
    const onAuth: NonNullable<Parameters<typeof startSmtpServer>[0]>['onAuth'] = (auth, _session, done) =>
      auth.password === 'p@ss/word' ? done(null, { user: auth.username }) : done(new Error('wrong'));
    const good = await setUp(
      { user: 'mailer:p%40ss%2Fword@', query: '?tls=required' },
      {},
      { onAuth, authOptional: false },
    );
    await good.enqueue();
    expect((await good.queue.deliverDue()).sent).toBe(1);
    expect(good.server.received[0]?.user).toBe('mailer');
    const bad = await setUp({ user: 'mailer:wrong@', query: '?tls=required' }, {}, { onAuth, authOptional: false });
    await bad.enqueue();
    expect((await bad.queue.deliverDue()).sent).toBe(0);
    const [row] = await rowsOf('mails');
    expect(row).toMatchObject({ attempts: 1 });
    expect(row?.last_error).not.toContain('wrong@');
    await deleteMails();
  });
});

describe('injection', () => {
  test('line breaks in subjects and headers add neither a header nor a recipient', async () => {
    const { server, queue, enqueue } = await setUp();
    await enqueue({
      subject: 'a\r\nBcc: eve@example.com\r\n\r\nbody',
      headers: { 'X-Note': 'b\r\nBcc: mallory@example.com', 'X-Evil\r\nCc: trudy@example.com': 'c' },
    });
    expect((await queue.deliverDue()).sent).toBe(1);
    const [received] = server.received;
    expect(received?.to).toEqual(['ada@example.com']);
    const [head = ''] = received?.message.split('\r\n\r\n') ?? [];
    expect(head.split('\r\n').filter((line) => /^(bcc|cc):/i.test(line))).toEqual([]);
  });

  test.each([
    'ada@example.com, eve@example.com',
    'ada@example.com\r\nRCPT TO:<eve@example.com>',
    'Eve <eve@example.com>',
  ])('the recipient %j never adds a second address', async (to) => {
    const { server, queue, enqueue } = await setUp();
    await enqueue({ to });
    await queue.deliverDue();
    expect(server.received.flatMap((received) => received.to)).not.toContain('eve@example.com');
    expect(server.received.every((received) => received.to.length === 1)).toBe(true);
    await deleteMails();
  });
});

describe('server failures', () => {
  test('a server that comes up after hours of downtime receives each queued mail once', async () => {
    const server = await startSmtpServer();
    const { port } = server;
    await server.stop();
    const { queue, enqueue } = queueTo(server);
    for (let index = 0; index < 20; index += 1) await enqueue({ subject: `number ${index}` });
    // Hours of downtime: no mail becomes dead, and each round tries only a few mails.
    for (let round = 0; round < 30; round += 1) {
      expect((await queue.deliverDue()).sent).toBe(0);
      clock.advance(15 * minuteMs);
    }
    expect(await rowsOf('mails')).toHaveLength(20);
    const again = await startSmtpServer({}, {}, port);
    onTestFinished(() => again.stop());
    expect((await queue.deliverDue()).sent).toBe(20);
    const subjects = again.received.map(({ message }) => /Subject: (.*)\r/.exec(message)?.[1]);
    expect(new Set(subjects).size).toBe(20);
    expect(await rowsOf('mails')).toEqual([]);
  });

  test('a mail that the server refuses temporarily is sent later', async () => {
    let refusals = 2;
    const onRecipient = () => {
      refusals -= 1;
      return refusals >= 0 ? 450 : undefined;
    };
    const { server, queue, enqueue } = await setUp({}, { onRecipient });
    await enqueue();
    expect((await queue.deliverDue()).sent).toBe(0);
    clock.advance(minuteMs);
    expect((await queue.deliverDue()).sent).toBe(0);
    clock.advance(2 * minuteMs);
    expect((await queue.deliverDue()).sent).toBe(1);
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ['the recipient', { onRecipient: () => 550 }],
    ['the message', { onMessage: () => 554 }],
  ])(
    'a mail is kept as dead, without its address in clear text, if the server refuses %s permanently',
    async (_what, behaviour) => {
      const { queue, enqueue } = await setUp({}, behaviour);
      await enqueue();
      expect((await queue.deliverDue()).sent).toBe(0);
      expect(await rowsOf('mails')).toEqual([]);
      const dead = await rowsOf('dead_mails');
      expect(dead).toMatchObject([{ attempts: 1, last_error: expect.stringMatching(/55\d/) }]);
      expect(JSON.stringify(dead)).not.toContain('ada@');
      await deleteMails();
    },
  );

  test('a recipient that the server refuses does not delay mail to other recipients', async () => {
    const onRecipient = (address: string) => (address.startsWith('full') ? 452 : undefined);
    const { server, queue, enqueue } = await setUp({}, { onRecipient });
    for (let index = 0; index < 12; index += 1)
      await enqueue({ to: `${index % 2 ? 'full' : 'free'}-${index}@example.com` });
    expect((await queue.deliverDue()).sent).toBe(6);
    expect(server.received.every(({ to: [address] }) => address?.startsWith('free'))).toBe(true);
    await deleteMails();
  });

  test('a slow server receives five mails at the same time', async () => {
    let active = 0;
    let activeMax = 0;
    const waiting: (() => void)[] = [];
    const onMessage = async () => {
      active += 1;
      activeMax = Math.max(activeMax, active);
      // Each response waits for five messages: sending them one after another would never end.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 5) for (const go of waiting.splice(0)) go();
      });
      active -= 1;
      return undefined;
    };
    const { queue, enqueue } = await setUp({}, { onMessage });
    for (let index = 0; index < 10; index += 1) await enqueue();
    expect((await queue.deliverDue()).sent).toBe(10);
    expect(activeMax).toBe(5);
  });

  test('a server receives each mail once when two processes send at the same time', async () => {
    const { server, queue, enqueue } = await setUp();
    const other = queueTo(server);
    for (let index = 0; index < 20; index += 1) await enqueue({ subject: `number ${index}` });
    const sent = await Promise.all([queue.deliverDue(), other.queue.deliverDue()]);
    expect(sent.reduce((sum, { sent: count }) => sum + count, 0)).toBe(20);
    expect(server.received).toHaveLength(20);
  });
});

test('metrics report the waiting mails, the age of the oldest one, and the results of the others', async () => {
  const { queue, enqueue } = await setUp(
    {},
    { onRecipient: (address) => (address.startsWith('no') ? 550 : undefined) },
  );
  await enqueue();
  await enqueue({ to: 'nobody@example.com' });
  clock.advance(90_000);
  const before = (await suite.app.request({ method: 'GET', url: '/metrics' })).text;
  expect(before).toMatch(/^mails_waiting 2$/m);
  expect(before).toMatch(/^mails_oldest_seconds 90(\.\d+)?$/m);
  await queue.deliverDue();
  const after = (await suite.app.request({ method: 'GET', url: '/metrics' })).text;
  expect(after).toMatch(/^mails_waiting 0$/m);
  expect(after).toMatch(/^mails_dead 1$/m);
  expect(after).toMatch(/^mails_total\{result="sent"\} \d+$/m);
  expect(after).toMatch(/^mails_total\{result="dead"\} \d+$/m);
});
