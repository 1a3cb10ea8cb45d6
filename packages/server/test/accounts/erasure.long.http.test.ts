import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { runDeletion } from '../../src/features/accounts/account/deletion-service.ts';
import { newId } from '../../src/lib/ids.ts';
import { personalDataHolders } from '../../src/personal-data-holders.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { type Account, addUser, type TestTenant, testPassword, useAdmin } from '../support/accounts.ts';
import { listTables } from '../support/catalogue.ts';
import { type TestApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { askForDeletion, asUser } from './account-data.ts';
import { addExisting } from './members.ts';
import { accept, inviteMember, login, mailedLinks, post } from './people.ts';

// The operator decides how long the log, which the service does not keep, may hold addresses.
const clock = useClock();
const suite = useAdmin({ ADMIN_TOKEN_TTL_HOURS: '8760', USER_TOKEN_TTL_DAYS: '365', LOG_ADDRESSES: 'false' });
const dayMs = 86_400_000;
let first: TestTenant;
let second: TestTenant;

beforeAll(async () => {
  first = await suite.newTenant('First');
  second = await suite.newTenant('Second');
});

/** A user with data in every place, and the texts that identify the user. */
interface Traced extends Account {
  readonly needles: readonly string[];
}

/** Creates a user with a unique name and client address, who uses the service in two tenants. */
async function leaveTraces(number: number): Promise<Traced> {
  const { app } = suite;
  const mark = newId().slice(-8);
  const email = `zaphod.quillfeather-${mark}@erased.example`;
  const [oldName, name] = [`Zaphod Quillfeather ${mark}`, `Tricia "O'Hara" Quillfeather ${mark}`];
  const ip = `203.0.113.${number}`;
  const token = await inviteMember(app, { id: first.id, name: 'First' }, email, 'admin');
  const accepted = await accept(app, { token, name: oldName }, ip);
  expect(accepted.status).toBe(200);
  const session = await login(app, { email, device_name: `Laptop of ${oldName}` }, ip);
  const account = {
    id: session.body.data.user.id,
    email,
    token: session.body.data.access_token,
    auth: { authorization: `Bearer ${session.body.data.access_token}` },
  };
  await addExisting(app, second, account, 'admin');
  const send = (method: 'POST' | 'PUT', url: string, payload: object, headers: object = {}) =>
    app.request({ method, url, headers: { ...account.auth, ...headers }, payload, remoteAddress: ip });
  for (const tenant of [first, second]) {
    const inTenant = { 'x-tenant-id': tenant.id };
    const product = { code: `editor-${mark}`, name: 'Editor', description: `Ask ${email}` };
    const made = await send('POST', '/api/v1/tenant/products', product, inTenant);
    expect(made.status).toBe(201);
    const url = `/api/v1/tenant/products/${made.body.data.id}`;
    await send('PUT', url, { description: 'Ask support' }, inTenant);
    await send('POST', '/api/v1/tenant/api-keys', { name: 'A key' }, inTenant);
    await send('PUT', '/api/v1/tenant/settings', { notification_emails: [email], support_email: email }, inTenant);
  }
  expect((await send('PUT', '/api/v1/account', { name })).status).toBe(200);
  const subscribed = await app.request({ method: 'POST', url: '/api/v1/marketing/subscribe', payload: { email } });
  expect(subscribed.status).toBe(202);
  await asUser(app, account, 'POST', '/export');
  expect((await mailsTo(app, email)).length).toBeGreaterThan(0);
  const newEmail = `tricia.quillfeather-${mark}@erased.example`;
  await asUser(app, account, 'POST', '/email', { email: newEmail, password: testPassword });
  const { '/change-email': link } = await mailedLinks(app, newEmail);
  expect((await post(app, '/change-email', { token: link }, ip)).status).toBe(200);
  return {
    ...account,
    email: newEmail,
    needles: [email, newEmail, oldName, name, JSON.stringify(name).slice(1, -1), ip],
  };
}

/** Returns everything that the service wrote: files and tables, each with its name and its content. */
async function everything(app: TestApp): Promise<[string, string][]> {
  const entries = await readdir(app.config.dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const));
  const { platform, tenants } = app.services;
  const tables = await tableTexts('platform', platform.query as never);
  for (const tenant of [first, second]) {
    tables.push(...(await tenants.withTenantDb(tenant.id, (db) => tableTexts(tenant.id, db.query as never))));
  }
  return [...contents.map(([place, text]): [string, string] => [place, text]), ...tables];
}

async function tableTexts(place: string, db: Kysely<never>) {
  const texts: [string, string][] = [];
  for (const { name } of await listTables(db)) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    // The raw values of the columns, without another level of JSON escaping.
    const text = rows.map((row) => Object.values(row as object).join('\n')).join('\n');
    texts.push([`${place}.${name}`, text]);
  }
  return texts;
}

async function placesOf(app: TestApp, needles: readonly string[]): Promise<string[]> {
  const places: string[] = [];
  for (const [place, text] of await everything(app)) {
    const lower = text.toLowerCase();
    for (const needle of needles) if (lower.includes(needle.toLowerCase())) places.push(`${place}: ${needle}`);
  }
  return places;
}

test('no database, file or log contains personal data of an erased user', async () => {
  const { app } = suite;
  const people = [await leaveTraces(71), await leaveTraces(72), await leaveTraces(73)];
  const [person, other, neighbour] = people as [Traced, Traced, Traced];
  // Many later writes, so that the database moves rows between pages.
  for (let index = 0; index < 60; index += 1) await addUser(app);
  await runTenantJobs(app);
  const before = await placesOf(app, person.needles);
  for (const needle of person.needles) expect(before.join('\n')).toContain(needle);

  expect((await askForDeletion(app, person)).status).toBe(202);
  await mailsTo(app, person.email);
  clock.advance(30 * dayMs + 1000);
  // A mail that is still queued when the erasure starts.
  const { mail, platform } = app.services;
  const queued = { to: person.email, subject: 'Late', text: 'Late', html: '<p>Late</p>' };
  await platform.transaction((tx) => mail.enqueue(tx, queued));
  await runTenantJobs(app);

  expect(await placesOf(app, person.needles)).toEqual([]);
  expect(await placesOf(app, [other.email, neighbour.email])).not.toEqual([]);
  const { databaseUrl, dataDir } = app.config;
  for (const needle of person.needles) app.secrets.note(needle);
  expect(await app.secrets.leaks(databaseUrl === null ? { dataDir } : { platformUrl: databaseUrl })).toEqual([]);
  const jobs = platform.query.selectFrom('jobs').selectAll().where('subject_id', '=', person.id);
  expect(await jobs.execute()).toEqual([]);
});

test('the audit records of an erased user stay, with the id of the user and without personal data', async () => {
  const { app } = suite;
  const person = await leaveTraces(74);
  const records = async () => {
    const url = `/api/v1/tenant/audit-logs?actor_id=${person.id}&limit=100`;
    return (await first.asOwner('GET', url.replace('/api/v1/tenant', ''))).body.data;
  };
  const before = await records();
  await askForDeletion(app, person);
  clock.advance(30 * dayMs + 1000);
  await runTenantJobs(app);
  const after = await records();
  expect(after.map(({ id, event, occurred_at }: Record<string, string>) => [id, event, occurred_at])).toEqual(
    before.map(({ id, event, occurred_at }: Record<string, string>) => [id, event, occurred_at]),
  );
  for (const record of after) expect(record).toMatchObject({ actor_id: person.id, ip: null });
  expect(after.length).toBeGreaterThan(3);
  const settings = (await first.asOwner('GET', '/settings')).body.data;
  expect(settings).toMatchObject({ support_email: null, notification_emails: [] });
  const ended = (await first.asOwner('GET', '/audit-logs?event=MEMBER.REMOVED')).body.data[0];
  expect(ended).toMatchObject({ actor_type: 'system', changes: [{ field: 'role', old: 'admin', new: null }] });
});

test('an interrupted erasure continues where it stopped and also erases data that was written meanwhile', async () => {
  const { app } = suite;
  const person = await leaveTraces(75);
  await askForDeletion(app, person);
  clock.advance(30 * dayMs + 1000);
  const aborted = AbortSignal.abort();
  expect(await runDeletion(app.services, person.id, aborted)).not.toBeNull();
  expect((await login(app, { email: person.email })).status).toBe(401);
  expect((await asUser(app, person, 'DELETE', '/deletion')).status).toBe(401);
  await runTenantJobs(app);
  expect(await placesOf(app, person.needles)).toEqual([]);
});

test('two concurrent runs of an erasure record the deletion once', async () => {
  const { app } = suite;
  const person = await leaveTraces(76);
  await askForDeletion(app, person);
  clock.advance(30 * dayMs + 1000);
  const { signal } = new AbortController();
  await Promise.all([1, 2].map(() => runDeletion(app.services, person.id, signal)));
  await runTenantJobs(app);
  expect(await placesOf(app, person.needles)).toEqual([]);
  const { platform } = app.services;
  const records = platform.query.selectFrom('audit_logs').select('event').where('resource_id', '=', person.id);
  const events = (await records.where('actor_type', '=', 'system').execute()).map(({ event }) => event);
  expect(events).toEqual(['ACCOUNT.DELETED']);
});

describe('the registry of personal data', () => {
  const aboutPeople = /(^|_)(user_id|email|subject_id|actor_id|created_by_id|holder|address|ip)$/;
  /** Tables with such a column that no holder lists, and the reason. */
  const notOfUsers: Readonly<Record<string, string>> = {
    admin_identities: 'identities of operators, which go with their account',
    admins: 'accounts of operators, whose deletion no user can request',
    billing_authorization_log: 'actions of admins',
    billing_checkouts: 'purchases of tenants; the id of the user refers to nobody after the erasure',
    jobs: 'ids of the subjects of jobs',
    search_terms: 'names of tenants',
  };

  test('every platform table with a column about a person is registered as personal data', async () => {
    const listed = new Set<string>(personalDataHolders.platform.flatMap(({ tables }) => [...tables]));
    const tables = await listTables(suite.app.services.platform.query);
    const about = tables.filter(({ columns }) => columns.some((column) => aboutPeople.test(column)));
    const missing = about.map(({ name }) => name).filter((name) => !listed.has(name) && !(name in notOfUsers));
    expect(missing).toEqual([]);
    expect(about.length).toBeGreaterThan(5);
  });
});
