import { expect, test } from 'vitest';
import { createMailQueue } from '../../src/mail/queue.ts';
import type { MailTransport, OutgoingMail } from '../../src/mail/transport.ts';
import { useApp, useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useApp();

const mail = { to: 'ada@example.com', subject: 'Hello', text: 'the secret link', html: '<p>the secret link</p>' };
const minuteMs = 60_000;

/** A queue on the suite's database whose transport fails as often as told. */
function setUp(failures: number) {
  const { services } = suite.app;
  const sent: OutgoingMail[] = [];
  let failuresLeft = failures;
  const transport: MailTransport = {
    async send(outgoing) {
      failuresLeft -= 1;
      if (failuresLeft >= 0) throw new Error('the mail server is away');
      sent.push(outgoing);
    },
  };
  const queue = createMailQueue({ ...services, transport });
  const enqueue = () => services.platform.transaction((tx) => queue.enqueue(tx, mail));
  const rows = () => services.platform.query.selectFrom('mails').selectAll().execute();
  return { services, queue, sent, enqueue, rows };
}

test('a queued mail waits encrypted and leaves once', async () => {
  const { queue, sent, enqueue, rows } = setUp(0);
  await enqueue();
  expect(JSON.stringify(await rows())).not.toMatch(/ada@example|secret link/);
  expect(await queue.deliverDue()).toBe(1);
  expect(sent).toEqual([{ ...mail, id: expect.any(String), from: expect.any(String), date: new Date() }]);
  expect(await queue.deliverDue()).toBe(0);
  expect(await rows()).toEqual([]);
});

test('a mail of a transaction that rolls back is never sent', async () => {
  const { services, queue, rows } = setUp(0);
  const rolledBack = services.platform.transaction(async (tx) => {
    await queue.enqueue(tx, mail);
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  expect(await rows()).toEqual([]);
});

test('a mail that could not be sent is tried again after 1 and 5 minutes, under the same id', async () => {
  const { queue, sent, enqueue, rows } = setUp(2);
  await enqueue();
  const [row] = await rows();
  expect(await queue.deliverDue()).toBe(0);
  clock.advance(minuteMs - 1);
  expect(await queue.deliverDue()).toBe(0);
  expect((await rows())[0]).toMatchObject({ attempts: 1, last_error: 'the mail server is away' });
  clock.advance(2);
  expect(await queue.deliverDue()).toBe(0);
  expect((await rows())[0]).toMatchObject({ attempts: 2 });
  clock.advance(5 * minuteMs + 1);
  expect(await queue.deliverDue()).toBe(1);
  expect(sent.map(({ id }) => id)).toEqual([row?.id]);
});

test('a mail that can never be sent is given up', async () => {
  const { queue, enqueue, rows } = setUp(100);
  await enqueue();
  for (let attempt = 0; attempt < 8; attempt += 1) {
    expect(await rows()).toHaveLength(1);
    await queue.deliverDue();
    clock.advance(1200 * minuteMs + 1);
  }
  expect(await rows()).toEqual([]);
});

test('processes that deliver at once send each mail once', async () => {
  const { services, sent, enqueue, queue } = setUp(0);
  await Promise.all(Array.from({ length: 5 }, enqueue));
  const transport: MailTransport = { send: async (outgoing) => void sent.push(outgoing) };
  const other = createMailQueue({ ...services, transport });
  const counts = await Promise.all([queue.deliverDue(), other.deliverDue(), queue.deliverDue()]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(5);
});
