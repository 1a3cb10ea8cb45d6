import { expect, test } from 'vitest';
import { createMailQueue } from '../../src/mail/queue.ts';
import { MailRefusedError, type MailTransport, type OutgoingMail } from '../../src/mail/transport.ts';
import { auditOf } from '../accounts/people.ts';
import { useAdmin } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useAdmin({ ADMIN_TOKEN_TTL_HOURS: '8760' });

const url = '/api/v1/admin/mails';
const get = (path: string) => suite.app.request({ method: 'GET', url: `${url}${path}`, headers: suite.admin.auth });
const retry = (id: string) =>
  suite.app.request({ method: 'POST', url: `${url}/${id}/retry`, headers: suite.admin.auth });

/** Queues a mail that the mail server refuses, and a queue whose server accepts everything. */
async function refuse(to: string, usefulUntil?: string) {
  const { services } = suite.app;
  const sent: OutgoingMail[] = [];
  const queueOf = (send: MailTransport['send']) =>
    createMailQueue({
      ...services,
      metrics: services.metrics.mail,
      transport: { concurrency: 2, close: () => undefined, send },
      renderAttachment: () => Promise.resolve(undefined),
    });
  const refusing = queueOf(() => Promise.reject(new MailRefusedError('550 No such mailbox')));
  const text = 'https://licenses.example.com/reset-password#token=secret-token';
  const mail = {
    to,
    subject: 'Choose a new password',
    text,
    html: `<p>${text}</p>`,
    ...(usefulUntil && { usefulUntil }),
  };
  await services.mail.deliverDue();
  await services.platform.transaction((tx) => refusing.enqueue(tx, mail));
  await refusing.deliverDue();
  const [view] = (await get('?limit=1')).body.data;
  return { view, sent, accepting: queueOf(async (outgoing) => void sent.push(outgoing)) };
}

test('a refused mail is listed with its recipient, subject and reason, and never with its text', async () => {
  const { view } = await refuse('ada@example.com');
  expect(view).toEqual({
    id: expect.any(String),
    to: 'ada@example.com',
    subject: 'Choose a new password',
    status: 'dead',
    attempts: 1,
    last_error: '550 No such mailbox',
    created_at: expect.stringContaining('2026-11-20T12:00:00'),
    died_at: expect.stringContaining('2026-11-20T12:00:00'),
    expires_at: null,
  });
  const [list, one] = [await get(''), await get(`/${view.id}`)];
  expect(one.body.data).toEqual(view);
  expect(list.text + one.text).not.toMatch(/secret-token|reset-password/);
});

test('a retried mail is sent once, however many admins retry it, and is then unknown', async () => {
  const { view, sent, accepting } = await refuse('bob@example.com');
  const answers = await Promise.all(Array.from({ length: 5 }, () => retry(view.id)));
  for (const { status, body } of answers) expect([status, body.data.status]).toEqual([200, 'waiting']);
  expect((await get(`/${view.id}`)).body.data).toMatchObject({ status: 'waiting', died_at: null });
  expect((await get('')).body.data).not.toContainEqual(expect.objectContaining({ id: view.id }));
  await Promise.all([accepting.deliverDue(), accepting.deliverDue()]);
  expect(sent.map(({ to, id }) => [to, id])).toEqual([['bob@example.com', view.id]]);
  expect([(await get(`/${view.id}`)).status, (await retry(view.id)).status]).toEqual([404, 404]);
  expect(await auditOf(suite.app, view.id)).toEqual([
    expect.objectContaining({ event: 'MAIL.RETRIED', actor_type: 'admin', actor_id: suite.admin.id }),
  ]);
});

test('a mail whose link has expired is not retried', async () => {
  const { view } = await refuse('eve@example.com', '2026-11-20T13:00:00.000000Z');
  clock.set('2026-11-20T13:00:00.000Z');
  const refused = await retry(view.id);
  expect([refused.status, refused.body.error.code]).toEqual([409, 'MAIL.EXPIRED']);
  expect((await get(`/${view.id}`)).body.data.status).toBe('dead');
});

test('the list is filtered by the time at which the service gave up', async () => {
  clock.set('2026-11-22T10:00:00.000Z');
  const { view } = await refuse('late@example.com');
  const ids = async (query: string) => (await get(query)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids('?from=2026-11-22T12:00:00%2B02:00')).toEqual([view.id]);
  expect(await ids('?to=2026-11-22T10:00:00Z')).not.toContain(view.id);
  expect(await ids('?from=2026-11-22T10:00:01Z')).toEqual([]);
});

test('a decoy that waits in the queue does not count as a mail', async () => {
  const { mail, platform } = suite.app.services;
  await mail.deliverDue();
  await platform.transaction((tx) => mail.enqueue(tx, null));
  const { id } = await platform.query.selectFrom('mails').select('id').executeTakeFirstOrThrow();
  expect((await get(`/${id}`)).status).toBe(404);
});
