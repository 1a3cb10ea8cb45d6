import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { sendCampaign } from '../../src/features/accounts/marketing/service.ts';
import { toTimestamp } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { licensing } from '../commands/licensing.ts';
import { freshAddress } from '../support/accounts.ts';
import { engine, startApp, stopApp, useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { statementsOf } from '../support/statements.ts';

const clock = useClock();
const suite = useApp();

const dayMs = 86_400_000;
const accepted = { status: 202, data: { accepted: true } };

const newAddress = () => `reader-${newId()}@example.com`;

async function send(path: string, payload: object, remoteAddress = freshAddress()) {
  const answer = await suite.app.request({ method: 'POST', url: `/api/v1/marketing${path}`, payload, remoteAddress });
  return { status: answer.status, data: answer.body.data, code: answer.body.error?.code };
}

async function confirmToken(email: string): Promise<string> {
  const newest = (await mailsTo(suite.app, email)).at(-1) ?? '';
  const token = /confirm-subscription#token=([\w-]+)/.exec(newest)?.[1] ?? '';
  if (token !== '') suite.app.secrets.note(token);
  return token;
}

async function subscriber(): Promise<string> {
  const email = newAddress();
  expect(await send('/subscribe', { email: email.toUpperCase() })).toMatchObject(accepted);
  expect(await send('/confirm', { token: await confirmToken(email) })).toMatchObject({ status: 200 });
  return email;
}

const rowOf = (email: string) =>
  suite.app.services.platform.query
    .selectFrom('marketing_subscribers')
    .selectAll()
    .where('email', '=', email)
    .executeTakeFirst();

const countAudited = async () =>
  (
    await suite.app.services.platform.query
      .selectFrom('audit_logs')
      .select('id')
      .where('event', '=', 'MARKETING.UNSUBSCRIBED')
      .execute()
  ).length;

/** Sends and delivers a new campaign. Returns the mails of a subscriber and the unsubscribe token in them. */
async function newsFor(email: string, subject = newId()) {
  await sendCampaign(suite.app.services, { subject, text: 'First.\n\nSecond.' }, () => undefined);
  clock.advance(60_000);
  const news = (await mailsTo(suite.app, email)).filter((mail) => mail.includes('Second.'));
  const token = /unsubscribe\?token=([\w-]+)/.exec(news.at(-1) ?? '')?.[1] ?? '';
  if (token !== '') suite.app.secrets.note(token);
  return { news, token };
}

describe('news', () => {
  test('news is sent only after the address is confirmed with the newest link, which works once', async () => {
    const email = newAddress();
    await send('/subscribe', { email });
    const older = await confirmToken(email);
    await send('/subscribe', { email });
    const token = await confirmToken(email);
    expect((await newsFor(email)).news).toEqual([]);
    expect(await send('/confirm', { token: older })).toMatchObject({ status: 422, code: 'AUTH.LINK_INVALID' });
    const answers = await Promise.all([send('/confirm', { token }), send('/confirm', { token })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect((await newsFor(email)).news).toHaveLength(1);
  });

  test('a repeated subscription of a confirmed address sends no mail and has the same response', async () => {
    const email = await subscriber();
    const before = await rowOf(email);
    expect(await send('/subscribe', { email })).toMatchObject(accepted);
    expect(await rowOf(email)).toEqual(before);
    expect(await mailsTo(suite.app, email)).toHaveLength(1);
  });

  test('the daily job deletes subscription requests that were not confirmed within seven days', async () => {
    const { services } = suite.app;
    const [email, confirmed] = [newAddress(), await subscriber()];
    await send('/subscribe', { email });
    const token = await confirmToken(email);
    clock.advance(7 * dayMs + 1);
    expect(await send('/confirm', { token })).toMatchObject({ status: 422 });
    const { runner, sweep } = createBackgroundJobs(services);
    await sweep.sweepNext();
    const due = services.platform.query.updateTable('jobs').set({ due_at: services.clock.now() });
    await due.where('kind', '=', 'marketing-retention').execute();
    await runner.runDue();
    expect(await rowOf(email)).toBeUndefined();
    expect(await rowOf(confirmed)).toBeDefined();
  });
});

const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' };
const multipart = { 'content-type': 'multipart/form-data; boundary=xyz' };
const part = '--xyz\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--xyz--\r\n';

describe('unsubscribing', () => {
  test('a one-click unsubscription needs only the URL of the header, with either form encoding', async () => {
    for (const [headers, payload] of [
      [urlEncoded, 'List-Unsubscribe=One-Click'],
      [multipart, part],
    ] as const) {
      const email = await subscriber();
      const { token } = await newsFor(email);
      const url = `/api/v1/marketing/unsubscribe?token=${token}`;
      const answer = await suite.app.request({ method: 'POST', url, headers, payload, remoteAddress: freshAddress() });
      expect([answer.status, answer.body.data]).toEqual([202, { accepted: true }]);
      expect(await rowOf(email)).toBeUndefined();
    }
  });

  test.each([
    [urlEncoded, 'List-Unsubscribe=One-Click&email=a@example.com'],
    [urlEncoded, ''],
    [urlEncoded, 'x'.repeat(5000)],
    [urlEncoded, `List-Unsubscribe=One-Click${' '.repeat(2_000)}`],
    [multipart, part.replace('One-Click', 'Two-Clicks')],
    [multipart, part.replaceAll('List-', '')],
    [{ 'content-type': 'text/plain' }, 'List-Unsubscribe=One-Click'],
  ])('an unsubscription with %j and the body %s is refused', async (headers, payload) => {
    const email = await subscriber();
    const url = '/api/v1/marketing/unsubscribe?token=x';
    const answer = await suite.app.request({ method: 'POST', url, headers, payload, remoteAddress: freshAddress() });
    expect(['REQUEST.MALFORMED', 'REQUEST.UNSUPPORTED_MEDIA_TYPE']).toContain(answer.body.error.code);
    expect(await rowOf(email)).toBeDefined();
  });

  test('routes other than the one-click unsubscription refuse forms', async () => {
    const answer = await suite.app.request({
      method: 'POST',
      url: '/api/auth/login',
      headers: urlEncoded,
      payload: 'a=b',
    });
    expect(answer.status).toBe(415);
  });

  test('an unsubscription by token or address works immediately and keeps only the proof of consent', async () => {
    const { app } = suite;
    const [first, second] = [await subscriber(), await subscriber()];
    const { token } = await newsFor(first);
    const consentedAt = (await rowOf(first))?.confirmed_at;
    for (const body of [
      { token },
      { token },
      { email: second.toUpperCase() },
      { email: second },
      { email: newAddress() },
    ]) {
      expect(await send('/unsubscribe', body)).toMatchObject(accepted);
    }
    for (const email of [first, second]) {
      expect(await rowOf(email)).toBeUndefined();
      expect(await mailsTo(app, email)).toHaveLength(2);
      expect((await newsFor(email)).news).toHaveLength(1);
    }
    const { platform, keyring } = app.services;
    const proof = platform.query.selectFrom('marketing_withdrawals').selectAll();
    expect(await proof.where('email_hash', '=', keyring.hash(first)).execute()).toEqual([
      {
        id: expect.any(String),
        email_hash: keyring.hash(first),
        consented_at: consentedAt,
        unsubscribe_token_hash: expect.any(String),
        withdrawn_at: expect.any(String),
      },
    ]);
    const audit = await platform.query
      .selectFrom('audit_logs')
      .selectAll()
      .where('event', 'like', 'MARKETING.%')
      .execute();
    expect(audit.every(({ ip }) => ip === null)).toBe(true);
    expect(JSON.stringify(audit)).not.toContain('@example.com');
  });

  test('an unsubscription with an unknown token or address does the same work as a successful one', async () => {
    const email = await subscriber();
    const other = await subscriber();
    const { token } = await newsFor(other);
    const statements = (body: object) => statementsOf(suite.app, () => send('/unsubscribe', body));
    const withoutProof = (list: string[]) => list.filter((statement) => statement !== 'insert marketing_withdrawals');
    const unknown = await statements({ email: newAddress() });
    for (const body of [{ email }, { token }]) {
      expect(withoutProof(await statements(body))).toEqual(unknown);
    }
  });

  test('a token that no mail contained is refused, and a used one is accepted again', async () => {
    const [byToken, byAddress] = [await subscriber(), await subscriber()];
    const used = [(await newsFor(byToken)).token, (await newsFor(byAddress)).token];
    await send('/unsubscribe', { token: used[0] });
    await send('/unsubscribe', { email: byAddress });
    for (const token of used) expect(await send('/unsubscribe', { token })).toMatchObject(accepted);
    const before = await countAudited();
    for (const token of ['x', used[0]?.slice(1), used[0]?.toUpperCase(), newId()]) {
      expect(await send('/unsubscribe', { token })).toMatchObject({ status: 422, code: 'AUTH.LINK_INVALID' });
    }
    expect(await countAudited()).toBe(before);
  });

  test('an unsubscription with the token in the query needs no body', async () => {
    const email = await subscriber();
    const { token } = await newsFor(email);
    const post = (query: string) =>
      suite.app.request({
        method: 'POST',
        url: `/api/v1/marketing/unsubscribe${query}`,
        remoteAddress: freshAddress(),
      });
    expect((await post('')).status).toBe(422);
    expect((await post(`?token=${token}`)).status).toBe(202);
    expect(await rowOf(email)).toBeUndefined();
  });

  test.each([{}, { token: '' }, { email: 'x' }, { 'List-Unsubscribe': 'Yes' }, { all: true }])(
    'an unsubscription with the body %j is refused with status 422',
    async (body) => {
      expect((await send('/unsubscribe', body)).status).toBe(422);
    },
  );

  test('opening the page of the unsubscribe link changes nothing', async () => {
    const email = await subscriber();
    const { token } = await newsFor(email);
    const page = await suite.app.request({ method: 'GET', url: `/api/v1/marketing/unsubscribe?token=${token}` });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('<button');
    const script = await suite.app.request({ method: 'GET', url: '/unsubscribe/page.js' });
    expect(script.status).toBe(200);
    expect(await rowOf(email)).toBeDefined();
  });
});

test.each(['/subscribe', '/confirm', '/unsubscribe'])('the route %s allows ten requests per minute', async (path) => {
  const address = freshAddress();
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) statuses.push((await send(path, {}, address)).status);
  expect(statuses).toEqual([...Array(10).fill(422), 429, 429]);
});

describe('a campaign', () => {
  test('the mail of a campaign has the one-click headers and its text as HTML paragraphs', async () => {
    const email = await subscriber();
    const { token } = await newsFor(email, 'Version 2');
    const folder = join(suite.app.config.dataDir, 'mail');
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    const sent = files.find((file) => file.includes(`To: ${email}`) && file.includes('Subject: Version 2')) ?? '';
    const head = (sent.split('\r\n\r\n')[0] ?? '').replace(/\r\n[ \t]+/g, ' ');
    const url = `${suite.app.config.publicUrl}/api/v1/marketing/unsubscribe?token=${token}`;
    expect(head).toContain(`List-Unsubscribe: <${url}>`);
    expect(head).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(sent.replaceAll('=\r\n', '')).toContain('line-height:24px">First.</p>');
  });

  test('a campaign that is sent repeatedly and concurrently reaches each subscriber once', async () => {
    const { app } = suite;
    const emails = [await subscriber(), await subscriber(), await subscriber()];
    const other = engine === 'postgres' ? await startApp(app.site) : app;
    const campaign = { subject: 'Once', text: 'Second.' };
    const run = (services = app.services) => sendCampaign(services, campaign, () => undefined);
    const counts = await Promise.all([run(), run(other.services), run()]);
    expect(counts.filter((count) => count !== null && count > 0)).toHaveLength(1);
    expect(await run()).toBeNull();
    clock.advance(60_000);
    for (const email of emails) {
      expect((await mailsTo(app, email)).filter((mail) => mail.includes('Second.'))).toHaveLength(1);
    }
    if (other !== app) await stopApp(other);
  });

  test('an interrupted campaign continues after the last queued subscriber', async () => {
    const { app } = suite;
    const many = Array.from({ length: 450 }, () => newAddress());
    const at = app.services.clock.now();
    await app.services.platform.query
      .insertInto('marketing_subscribers')
      .values(
        many.map((email) => ({
          id: newId(),
          email,
          requested_at: at,
          confirm_token_hash: null,
          confirm_expires_at: at,
          confirmed_at: at,
          unsubscribe_token_hash: null,
          sealed_unsubscribe_token: null,
        })),
      )
      .execute();
    const queued = async () => (await app.services.platform.query.selectFrom('mails').select('id').execute()).length;
    const before = await queued();
    const campaign = { subject: 'Interrupted', text: 'Third.' };
    const interrupted = sendCampaign(app.services, campaign, () => {
      throw new Error('killed');
    });
    await expect(interrupted).rejects.toThrow('killed');
    const first = (await queued()) - before;
    expect(first).toBe(200);
    const rest = (await sendCampaign(app.services, campaign, () => undefined)) ?? 0;
    expect((await queued()) - before).toBe(first + rest);
    const confirmed = await app.services.platform.query
      .selectFrom('marketing_subscribers')
      .select('id')
      .where('confirmed_at', 'is not', null)
      .execute();
    expect(first + rest).toBe(confirmed.length);
    await app.services.platform.query.deleteFrom('mails').execute();
  });

  test('a campaign is sent with the command "licensing marketing send"', async () => {
    const { app } = suite;
    await subscriber();
    const file = join(app.config.dataDir, 'news.txt');
    await writeFile(file, 'Hello.\n\nNews.');
    const run = (...args: string[]) => licensing(['marketing', 'send', ...args], app.site.env);
    const { query } = app.services.platform;
    const ofMails = query.updateTable('jobs').where('kind', '=', 'mail');
    await ofMails.set({ due_at: toTimestamp(Date.now() + dayMs) }).execute();
    expect(await run('--subject', 'By command', '--text', file)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/queued: \d+/),
    });
    // The running service learns of the mails at once, not with its sweep of a minute.
    const [job] = await query.selectFrom('jobs').select('due_at').where('kind', '=', 'mail').execute();
    expect(Date.parse(job?.due_at ?? '')).toBeLessThanOrEqual(Date.now());
    expect(await run('--subject', 'By command', '--text', file)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('already received'),
    });
    expect(await run('--subject', 'a\nb', '--text', file)).toMatchObject({ code: 2 });
    expect(await run('--subject', 'No file', '--text', `${file}.none`)).toMatchObject({ code: 2 });
    await query.deleteFrom('mails').execute();
  });
});
