import { expect, onTestFinished, test } from 'vitest';
import { startBackground } from '../../src/background.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import { createMailQueue, type MailQueue, mailJob } from '../../src/mail/queue.ts';
import type { MailTransport, OutgoingMail } from '../../src/mail/transport.ts';
import { useApp, useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useApp();

const mail = { to: 'ada@example.com', subject: 'Hello', text: 'the secret link', html: '<p>the secret link</p>' };
const minuteMs = 60_000;
const renderAttachment = () => Promise.resolve(undefined);

/** Creates a queue on the suite's database whose transport fails the first `failures` times. */
function setUp(failures: number) {
  const { services } = suite.app;
  const sent: OutgoingMail[] = [];
  let failuresLeft = failures;
  const transport: MailTransport = {
    concurrency: 3,
    close: () => undefined,
    async send(outgoing) {
      failuresLeft -= 1;
      if (failuresLeft >= 0) throw new Error('the mail server is away');
      sent.push(outgoing);
    },
  };
  const queue = createMailQueue({ ...services, metrics: services.metrics.mail, transport, renderAttachment });
  const enqueue = () => services.platform.transaction((tx) => queue.enqueue(tx, mail));
  const rows = () => services.platform.query.selectFrom('mails').selectAll().execute();
  return { services, queue, sent, enqueue, rows };
}

test('a queued mail is stored encrypted and is sent once', async () => {
  const { queue, sent, enqueue, rows } = setUp(0);
  await enqueue();
  expect(JSON.stringify(await rows())).not.toMatch(/ada@example|secret link/);
  expect((await queue.deliverDue()).sent).toBe(1);
  expect(sent).toEqual([{ ...mail, id: expect.any(String), from: expect.any(String), date: new Date() }]);
  expect((await queue.deliverDue()).sent).toBe(0);
  expect(await rows()).toEqual([]);
});

test('a mail that was queued in a rolled-back transaction is never sent', async () => {
  const { services, queue, rows } = setUp(0);
  const rolledBack = services.platform.transaction(async (tx) => {
    await queue.enqueue(tx, mail);
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  expect(await rows()).toEqual([]);
});

test('a mail that cannot be sent is retried at growing intervals under the same id until it succeeds', async () => {
  const { queue, sent, enqueue, rows } = setUp(7);
  await enqueue();
  const [row] = await rows();
  for (const [attempt, minutes] of [1, 2, 5, 10, 15, 15, 15].entries()) {
    expect((await queue.deliverDue()).sent).toBe(0);
    expect((await rows())[0]).toMatchObject({ attempts: attempt + 1, last_error: 'the mail server is away' });
    clock.advance(minutes * minuteMs - 1);
    expect((await queue.deliverDue()).sent).toBe(0);
    expect((await rows())[0]?.attempts).toBe(attempt + 1);
    clock.advance(1);
  }
  expect((await queue.deliverDue()).sent).toBe(1);
  expect(sent.map(({ id }) => id)).toEqual([row?.id]);
});

test('a mail that has expired is deleted without being sent', async () => {
  const { services, queue, sent, rows } = setUp(1);
  const usefulUntil = new Date(Date.now() + 2 * minuteMs).toISOString().replace('Z', '000Z');
  await services.platform.transaction((tx) => queue.enqueue(tx, { ...mail, usefulUntil }));
  await queue.deliverDue();
  expect(await rows()).toHaveLength(1);
  clock.advance(2 * minuteMs);
  expect((await queue.deliverDue()).sent).toBe(0);
  expect([await rows(), sent]).toEqual([[], []]);
});

test('a decoy row looks like a mail in the queue and is never sent', async () => {
  const { services, queue, sent, rows } = setUp(0);
  await services.platform.transaction((tx) => queue.enqueue(tx, null));
  expect((await rows())[0]?.sealed_message.length).toBeGreaterThan(3_000);
  expect((await queue.deliverDue()).sent).toBe(0);
  expect([await rows(), sent]).toEqual([[], []]);
});

test('a mail with a later notBefore does not delay a single mail that is queued after it', async () => {
  const { services, queue, sent } = setUp(0);
  const later = new Date(Date.now() + minuteMs).toISOString().replace('Z', '000Z');
  await services.platform.transaction((tx) => queue.enqueue(tx, { ...mail, subject: 'News' }, later));
  await services.platform.transaction((tx) => queue.enqueue(tx, mail));
  expect((await queue.deliverDue()).sent).toBe(1);
  clock.advance(minuteMs);
  expect((await queue.deliverDue()).sent).toBe(1);
  expect(sent.map(({ subject }) => subject)).toEqual(['Hello', 'News']);
});

test('processes that send queued mail at the same time send each mail once', async () => {
  const { services, sent, enqueue, queue } = setUp(0);
  await Promise.all(Array.from({ length: 5 }, enqueue));
  const transport: MailTransport = {
    concurrency: 2,
    close: () => undefined,
    send: async (outgoing) => void sent.push(outgoing),
  };
  const other = createMailQueue({ ...services, metrics: services.metrics.mail, transport, renderAttachment });
  const counts = await Promise.all([queue.deliverDue(), other.deliverDue(), queue.deliverDue()]);
  expect(counts.reduce((sum, { sent: count }) => sum + count, 0)).toBe(5);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(5);
});

test('a mail is sent by the next process if its own process died between the commit and the wake-up', async () => {
  const { services, sent, enqueue, queue, rows } = setUp(0);
  await enqueue();
  const background = startBackground({ ...services, mail: queue });
  onTestFinished(() => background.stop());
  await expect.poll(rows).toEqual([]);
  expect(sent).toHaveLength(1);
});

test('mail is sent, however often its job failed before', async () => {
  const { services, sent, enqueue, queue } = setUp(0);
  await enqueue();
  const broken = { ...queue, deliverDue: () => Promise.reject(new Error('an error of this test')) };
  const runnerWith = (mail: MailQueue) => {
    const jobs = [mailJob({ ...services, mail })];
    return createJobRunner({ ...services, metrics: services.metrics.jobs, jobs });
  };
  queue.kick();
  await services.wakeUps.flush();
  for (let failure = 1; failure <= 20; failure += 1) {
    await runnerWith(broken).runDue();
    clock.advance(10 * minuteMs);
  }
  await runnerWith(queue).runDue();
  expect(sent).toHaveLength(1);
});
