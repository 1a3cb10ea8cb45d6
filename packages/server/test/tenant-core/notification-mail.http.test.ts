import { beforeEach, describe, expect, test } from 'vitest';
import { listOwnerEmails } from '../../src/features/accounts/memberships/service.ts';
import { transactWithEvents } from '../../src/features/tenant-core/events/outbox.ts';
import { notificationMailJob } from '../../src/features/tenant-core/notifications/mail-job.ts';
import { readSettings } from '../../src/features/tenant-core/settings/service.ts';
import type { MailQueue } from '../../src/mail/queue.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock();
const suite = useApp(loopbackWebhooks);
const receiver = useReceiver();
const { newEndpoint } = webhookFixtures(suite, receiver);
const hourMs = 3_600_000;
let tenant: TestTenant;

beforeEach(async () => {
  tenant = await createTenant(suite.app, await createAdmin(suite.app));
});

/** Tells the tenant something, as the service does. */
const tell = (title: string, isUrgent = false) =>
  suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
    transactWithEvents(suite.app.services, { id: tenant.id, db }, async (_tx, outbox) => {
      const at = suite.app.services.clock.now();
      const fields = { type: 'test', severity: 'info' as const, title, body: 'It happened.', occurrence: title };
      await outbox.notify({ ...fields, isUrgent, at });
    }),
  );
const mailsOfOwner = async () => {
  await runTenantJobs(suite.app);
  const mails = (await mailsTo(suite.app, tenant.owner.email)).filter((mail) => !mail.includes('You were added'));
  return mails.map((mail) => mail.split('<!doctype html>')[0]?.replaceAll('\r\n', '\n') ?? '');
};

describe('notifications are mailed', () => {
  test('to the owners, the first at once and the following together an hour later, each once', async () => {
    await tell('First');
    await tell('First');
    const [first, ...none] = await mailsOfOwner();
    expect(none).toEqual([]);
    expect(first).toContain('First. It happened.');
    for (const title of ['Second', 'Third']) await tell(title);
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

  test('to the addresses of the settings instead, where there are some', async () => {
    const emails = [`ops-${tenant.id}@example.com`, `dev-${tenant.id}@example.com`];
    await tenant.asOwner('PUT', '/settings', { notification_emails: emails });
    await tell('Something');
    expect(await mailsOfOwner()).toEqual([]);
    for (const email of emails) expect(await mailsTo(suite.app, email)).toHaveLength(1);
  });

  test('at once when a webhook endpoint was disabled, with what waited', async () => {
    await tell('First');
    await mailsOfOwner();
    await tell('Waiting');
    const { id, path } = await newEndpoint(tenant);
    receiver.answer(path, 410);
    await tenant.asOwner('POST', `/webhooks/${id}/test`);
    await runTenantJobs(suite.app);
    const [, second, ...more] = await mailsOfOwner();
    expect(more).toEqual([]);
    expect(second).toContain('A webhook endpoint was disabled');
    expect(second).toContain('Waiting. It happened.');
  });

  test('as a digest that names twenty and counts the rest', async () => {
    for (let index = 0; index < 23; index += 1) await tell(`Number ${index}`);
    const [digest] = await mailsOfOwner();
    expect(digest?.match(/Number \d+\. It happened/g)).toHaveLength(20);
    expect(digest).toContain('There are 3 more.');
  });

  test('but not what people wrote to each other', async () => {
    await tenant.asOwner('POST', '/notifications', { title: 'Hello', body: 'Read this.' });
    expect(await mailsOfOwner()).toEqual([]);
  });
});

describe('each notification is mailed once', () => {
  const runJob = (mail: MailQueue = suite.app.services.mail) =>
    suite.app.services.tenants.withTenantDb(tenant.id, (db) => {
      const { signal } = new AbortController();
      return notificationMailJob({ ...suite.app.services, mail, readSettings, listOwnerEmails }).run({
        tenantId: tenant.id,
        db,
        signal,
      });
    });

  test.each(['before', 'after'])('when the process dies right %s the mail is queued', async (moment) => {
    const { mail } = suite.app.services;
    const dying: MailQueue = {
      ...mail,
      enqueue: moment === 'before' ? () => Promise.reject(new Error('died')) : mail.enqueue,
      kick: () => {
        throw new Error('died');
      },
    };
    await tell('Something');
    await expect(runJob(dying)).rejects.toThrow('died');
    await tell('Something else');
    await runJob();
    clock.advance(hourMs + 1000);
    await runJob();
    const mails = await mailsOfOwner();
    const told = mails.join('\n').match(/Something( else)?\. It happened/g);
    expect(told).toEqual(['Something. It happened', 'Something else. It happened']);
  });

  test('when several runs meet', async () => {
    await tell('Something');
    await Promise.all([runJob(), runJob(), runJob()]);
    expect(await mailsOfOwner()).toHaveLength(1);
  });
});
