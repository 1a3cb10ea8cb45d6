import { describe, expect, test } from 'vitest';
import { listOwnerEmails } from '../../src/features/accounts/memberships/service.ts';
import { transactWithEvents } from '../../src/features/tenant-core/events/outbox.ts';
import { notificationMailJob } from '../../src/features/tenant-core/notifications/mail-job.ts';
import { readSettings } from '../../src/features/tenant-core/settings/service.ts';
import type { MailQueue } from '../../src/mail/queue.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { useTenantPerTest } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock();
const suite = useTenantPerTest(loopbackWebhooks);
const receiver = useReceiver();
const { newEndpoint } = webhookFixtures(suite, receiver);
const hourMs = 3_600_000;

/** Creates a notification of the service, with its title as the occurrence. */
const createNotification = (title: string, isUrgent = false) =>
  suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
    transactWithEvents(suite.app.services, { id: suite.tenant.id, db }, async (_tx, outbox) => {
      const at = suite.app.services.clock.now();
      const fields = { type: 'test', severity: 'info' as const, title, body: 'It happened.', occurrence: title };
      await outbox.notify({ ...fields, isUrgent, at });
    }),
  );
const mailsOfOwner = async () => {
  await runTenantJobs(suite.app);
  const mails = (await mailsTo(suite.app, suite.tenant.owner.email)).filter((mail) => !mail.includes('You were added'));
  return mails.map((mail) => mail.split('<!doctype html>')[0]?.replaceAll('\r\n', '\n') ?? '');
};

describe('notifications are mailed', () => {
  test('owners receive the first notification at once and later ones together an hour later, each once', async () => {
    await createNotification('First');
    await createNotification('First');
    const [first, ...none] = await mailsOfOwner();
    expect(none).toEqual([]);
    expect(first).toContain('First. It happened.');
    for (const title of ['Second', 'Third']) await createNotification(title);
    expect(await mailsOfOwner()).toHaveLength(1);
    clock.advance(hourMs - 1000);
    expect(await mailsOfOwner()).toHaveLength(1);
    clock.advance(2000);
    const [, digest, ...more] = await mailsOfOwner();
    expect(more).toEqual([]);
    expect(digest).toContain('Second. It happened.\n\nThird. It happened.');
    expect(digest).not.toContain('First');
    clock.advance(2 * hourMs);
    expect(await mailsOfOwner()).toHaveLength(2);
  });

  test('the addresses of the settings, if there are any, receive notifications instead of the owners', async () => {
    const emails = [`ops-${suite.tenant.id}@example.com`, `dev-${suite.tenant.id}@example.com`];
    await suite.tenant.asOwner('PUT', '/settings', { notification_emails: emails });
    await createNotification('Something');
    expect(await mailsOfOwner()).toEqual([]);
    for (const email of emails) expect(await mailsTo(suite.app, email)).toHaveLength(1);
  });

  test('the notice of a disabled webhook endpoint is mailed at once, together with pending notifications', async () => {
    await createNotification('First');
    await mailsOfOwner();
    await createNotification('Waiting');
    const { id, path } = await newEndpoint(suite.tenant);
    receiver.answer(path, 410);
    await suite.tenant.asOwner('POST', `/webhooks/${id}/test`);
    await runTenantJobs(suite.app);
    const [, second, ...more] = await mailsOfOwner();
    expect(more).toEqual([]);
    expect(second).toContain('A webhook endpoint was disabled');
    expect(second).toContain('Waiting. It happened.');
  });

  test('a digest lists twenty notifications and counts the rest', async () => {
    for (let index = 0; index < 23; index += 1) await createNotification(`Number ${index}`);
    const [digest] = await mailsOfOwner();
    expect(digest?.match(/Number \d+\. It happened/g)).toHaveLength(20);
    expect(digest).toContain('There are 3 more notifications.');
  });

  test('notifications written by users are not mailed', async () => {
    await suite.tenant.asOwner('POST', '/notifications', { title: 'Hello', body: 'Read this.' });
    expect(await mailsOfOwner()).toEqual([]);
  });
});

describe('each notification is mailed once', () => {
  const runJob = (mail: MailQueue = suite.app.services.mail) =>
    suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) => {
      const { signal } = new AbortController();
      return notificationMailJob({ ...suite.app.services, mail, readSettings, listOwnerEmails }).run({
        tenantId: suite.tenant.id,
        db,
        signal,
      });
    });

  test.each(['before', 'after'])(
    'each notification is mailed once when the process crashes right %s queueing the mail',
    async (moment) => {
      const { mail } = suite.app.services;
      const crashing: MailQueue = {
        ...mail,
        enqueue: moment === 'before' ? () => Promise.reject(new Error('crashed')) : mail.enqueue,
        kick: () => {
          throw new Error('crashed');
        },
      };
      await createNotification('Something');
      await expect(runJob(crashing)).rejects.toThrow('crashed');
      await createNotification('Something else');
      await runJob();
      clock.advance(hourMs + 1000);
      await runJob();
      const mails = await mailsOfOwner();
      const mailed = mails.join('\n').match(/Something( else)?\. It happened/g);
      expect(mailed).toEqual(['Something. It happened', 'Something else. It happened']);
    },
  );

  test('each notification is mailed once when several runs overlap', async () => {
    await createNotification('Something');
    await Promise.all([runJob(), runJob(), runJob()]);
    expect(await mailsOfOwner()).toHaveLength(1);
  });
});
