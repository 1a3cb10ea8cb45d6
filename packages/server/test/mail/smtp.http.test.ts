import { describe, expect, onTestFinished, test } from 'vitest';
import { parseSmtpUrl } from '../../src/config/smtp-url.ts';
import { selfSigned } from '../../src/features/webhooks/delivery/self-signed.fixture.ts';
import { createMailQueue } from '../../src/mail/queue.ts';
import { createSmtpTransport } from '../../src/mail/smtp-transport.ts';
import type { Mail } from '../../src/mail/transport.ts';
import { useApp, useClock } from '../support/harness.ts';
import { type SmtpBehaviour, startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

const clock = useClock();
const suite = useApp();

const minuteMs = 60_000;
const mail: Mail = { to: 'ada@example.com', subject: 'Grüße', text: 'the text', html: '<p>the text</p>' };

/** A queue on the suite's database that sends through a real server; the server is stopped with the test. */
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

function queueTo(
  { port }: Pick<TestSmtpServer, 'port'>,
  { query = '', user = '', ca = selfSigned.cert, scheme = 'smtp' }: NonNullable<Parameters<typeof setUp>[0]> = {},
) {
  const { services } = suite.app;
  const target = parseSmtpUrl(`${scheme}://${user}127.0.0.1:${port}${query}`);
  if ('problem' in target) throw new Error(target.problem);
  const transport = createSmtpTransport(target, ca === null ? {} : { ca });
  const queue = createMailQueue({ ...services, metrics: services.metrics.mail, transport });
  onTestFinished(() => queue.close());
  const enqueue = (changes: Partial<Mail> = {}) =>
    services.platform.transaction((tx) => queue.enqueue(tx, { ...mail, ...changes }));
  return { queue, enqueue };
}

const rowsOf = (table: 'mails' | 'dead_mails') =>
  suite.app.services.platform.query.selectFrom(table).selectAll().orderBy('id').execute();

async function forgetMails(): Promise<void> {
  await suite.app.services.platform.query.deleteFrom('mails').execute();
  await suite.app.services.platform.query.deleteFrom('dead_mails').execute();
}

describe('a mail', () => {
  test('arrives whole, in both forms, from the configured sender to its one recipient', async () => {
    const { server, queue, enqueue } = await setUp();
    await enqueue({ headers: { 'List-Unsubscribe': '<https://example.com/u?token=x>' } });
    expect(await queue.deliverDue()).toBe(1);
    const [received] = server.received;
    expect(received).toMatchObject({ from: 'licensing@localhost', to: ['ada@example.com'], isEncrypted: false });
    for (const line of [
      'From: Licensing <licensing@localhost>',
      'To: ada@example.com',
      'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
      'List-Unsubscribe: <https://example.com/u?token=x>',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Type: text/html; charset=utf-8',
    ]) {
      expect(received?.message).toContain(`${line}\r\n`);
    }
  });

  test('uses a connection again', async () => {
    const { server, queue, enqueue } = await setUp();
    for (let index = 0; index < 30; index += 1) await enqueue();
    expect(await queue.deliverDue()).toBe(30);
    expect(server.received).toHaveLength(30);
    expect(server.connections()).toBeLessThanOrEqual(5);
  });

  test.each([
    ['starttls', { query: '?tls=required' }, {}],
    ['implicit', { scheme: 'smtps' }, { secure: true }],
  ] as const)('is encrypted with %s', async (_tls, options, serverOptions) => {
    const { server, queue, enqueue } = await setUp(options, {}, serverOptions);
    await enqueue();
    expect(await queue.deliverDue()).toBe(1);
    expect(server.received[0]?.isEncrypted).toBe(true);
  });

  test.each([
    ['offers no TLS', { query: '?tls=required' }, { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }],
    ['has a certificate that nobody vouches for', { query: '?tls=required', ca: null }, {}],
    ['has such a certificate from the first byte', { scheme: 'smtps', ca: null }, { secure: true }],
  ])('is not given to a server that %s, and waits', async (_what, options, serverOptions) => {
    const { server, queue, enqueue } = await setUp(options, {}, serverOptions);
    await enqueue();
    expect(await queue.deliverDue()).toBe(0);
    expect(server.received).toEqual([]);
    expect(await rowsOf('mails')).toMatchObject([{ attempts: 1, last_error: expect.any(String) }]);
    await forgetMails();
  });

  test('is sent under the name and password of the URL, and waits when they are refused', async () => {
    const onAuth: NonNullable<Parameters<typeof startSmtpServer>[0]>['onAuth'] = (auth, _session, done) =>
      auth.password === 'p@ss/word' ? done(null, { user: auth.username }) : done(new Error('wrong'));
    const good = await setUp(
      { user: 'mailer:p%40ss%2Fword@', query: '?tls=required' },
      {},
      { onAuth, authOptional: false },
    );
    await good.enqueue();
    expect(await good.queue.deliverDue()).toBe(1);
    expect(good.server.received[0]?.user).toBe('mailer');
    const bad = await setUp({ user: 'mailer:wrong@', query: '?tls=required' }, {}, { onAuth, authOptional: false });
    await bad.enqueue();
    expect(await bad.queue.deliverDue()).toBe(0);
    const [row] = await rowsOf('mails');
    expect(row).toMatchObject({ attempts: 1 });
    expect(row?.last_error).not.toContain('wrong@');
    await forgetMails();
  });
});

describe('hostile values', () => {
  test('start no header and reach no further recipient', async () => {
    const { server, queue, enqueue } = await setUp();
    await enqueue({
      subject: 'a\r\nBcc: eve@example.com\r\n\r\nbody',
      headers: { 'X-Note': 'b\r\nBcc: mallory@example.com', 'X-Evil\r\nCc: trudy@example.com': 'c' },
    });
    expect(await queue.deliverDue()).toBe(1);
    const [received] = server.received;
    expect(received?.to).toEqual(['ada@example.com']);
    const [head = ''] = received?.message.split('\r\n\r\n') ?? [];
    expect(head.split('\r\n').filter((line) => /^(bcc|cc):/i.test(line))).toEqual([]);
  });

  test.each([
    'ada@example.com, eve@example.com',
    'ada@example.com\r\nRCPT TO:<eve@example.com>',
    'Eve <eve@example.com>',
  ])('in place of a recipient, such as %j, are never an address more', async (to) => {
    const { server, queue, enqueue } = await setUp();
    await enqueue({ to });
    await queue.deliverDue();
    expect(server.received.flatMap((received) => received.to)).not.toContain('eve@example.com');
    expect(server.received.every((received) => received.to.length === 1)).toBe(true);
    await forgetMails();
  });
});

describe('a server that', () => {
  test('is down and comes up again gets everything, once', async () => {
    const server = await startSmtpServer();
    const { port } = server;
    await server.stop();
    const { queue, enqueue } = queueTo(server);
    for (let index = 0; index < 20; index += 1) await enqueue({ subject: `number ${index}` });
    // Hours of it: nothing is given up, and only a few are tried in vain each time.
    for (let round = 0; round < 30; round += 1) {
      expect(await queue.deliverDue()).toBe(0);
      clock.advance(15 * minuteMs);
    }
    expect(await rowsOf('mails')).toHaveLength(20);
    const again = await startSmtpServer({}, {}, port);
    onTestFinished(() => again.stop());
    expect(await queue.deliverDue()).toBe(20);
    const subjects = again.received.map(({ message }) => /Subject: (.*)\r/.exec(message)?.[1]);
    expect(new Set(subjects).size).toBe(20);
    expect(await rowsOf('mails')).toEqual([]);
  });

  test('refuses for now gets the mail later', async () => {
    let refusals = 2;
    const onRecipient = () => {
      refusals -= 1;
      return refusals >= 0 ? 450 : undefined;
    };
    const { server, queue, enqueue } = await setUp({}, { onRecipient });
    await enqueue();
    expect(await queue.deliverDue()).toBe(0);
    clock.advance(minuteMs);
    expect(await queue.deliverDue()).toBe(0);
    clock.advance(2 * minuteMs);
    expect(await queue.deliverDue()).toBe(1);
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ['the recipient', { onRecipient: () => 550 }],
    ['the message', { onMessage: () => 554 }],
  ])(
    'refuses %s for good gets it no second time, and the mail is kept without the address in clear',
    async (_what, behaviour) => {
      const { queue, enqueue } = await setUp({}, behaviour);
      await enqueue();
      expect(await queue.deliverDue()).toBe(0);
      expect(await rowsOf('mails')).toEqual([]);
      const dead = await rowsOf('dead_mails');
      expect(dead).toMatchObject([{ attempts: 1, last_error: expect.stringMatching(/55\d/) }]);
      expect(JSON.stringify(dead)).not.toContain('ada@');
      await forgetMails();
    },
  );

  test('refuses one recipient holds up nobody else', async () => {
    const onRecipient = (address: string) => (address.startsWith('full') ? 452 : undefined);
    const { server, queue, enqueue } = await setUp({}, { onRecipient });
    for (let index = 0; index < 12; index += 1)
      await enqueue({ to: `${index % 2 ? 'full' : 'free'}-${index}@example.com` });
    expect(await queue.deliverDue()).toBe(6);
    expect(server.received.every(({ to: [address] }) => address?.startsWith('free'))).toBe(true);
    await forgetMails();
  });

  test('takes its time gets several mails at once', async () => {
    let inHand = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const onMessage = async () => {
      inHand += 1;
      most = Math.max(most, inHand);
      // Nobody goes on before five are there: one after the other would never end.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 5) for (const go of waiting.splice(0)) go();
      });
      inHand -= 1;
      return undefined;
    };
    const { queue, enqueue } = await setUp({}, { onMessage });
    for (let index = 0; index < 10; index += 1) await enqueue();
    expect(await queue.deliverDue()).toBe(10);
    expect(most).toBe(5);
  });

  test('is asked by two processes at once gets each mail once', async () => {
    const { server, queue, enqueue } = await setUp();
    const other = queueTo(server);
    for (let index = 0; index < 20; index += 1) await enqueue({ subject: `number ${index}` });
    const sent = await Promise.all([queue.deliverDue(), other.queue.deliverDue()]);
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(server.received).toHaveLength(20);
  });
});

test('metrics tell what waits, for how long, and what became of the rest', async () => {
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
