import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUser, createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { type Answer, engine, startApp, stopApp, type TestApp } from '../support/harness.ts';
import { mailedToken } from '../support/mails.ts';
import { addAccount, addMember, membersWith, newEmail, sendAs } from './members.ts';
import { accept } from './people.ts';

const suite = useTenant();
/** A second process on the same data. The embedded engine allows only one, so it is the same app there. */
let other: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  other = engine === 'postgres' ? await startApp(suite.app.site) : suite.app;
});

afterAll(async () => {
  if (engine === 'postgres') await stopApp(other);
});

const lastOwner = [409, 'MEMBER.LAST_OWNER'];
const outcomeOf = ({ status, body }: Answer) => [status, body.error?.code ?? null];

async function firstOwnerId(): Promise<string> {
  return (await membersWith(tenant, tenant.owner.email))[0].id;
}

const rounds = [1, 2, 3];

/**
 * Sends two concurrent changes. On PostgreSQL, a lock on the audit outbox, to which both write last, holds both back
 * just before their commits. The lock is released when both are waiting.
 */
async function atTheSameTime(send: () => [Promise<Answer>, Promise<Answer>]): Promise<Answer[]> {
  const { databaseUrl } = suite.app.config;
  if (databaseUrl === null) return await Promise.all(send());
  const blocker = new Client({ connectionString: databaseUrl });
  await blocker.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table audit_outbox in share row exclusive mode');
    const answers = Promise.all(send());
    while ((await countWaiting()) < 2);
    await blocker.query('commit');
    return await answers;
  } finally {
    await blocker.end();
  }
}

async function countWaiting(): Promise<number> {
  const waiting = sql<{ count: string }>`select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return Number((await waiting.execute(suite.app.services.platform.query)).rows[0]?.count);
}

/** Creates a tenant with two owners. The second one sends requests to the other process. */
async function twoOwners() {
  tenant = await createTenant(suite.app, suite.admin);
  const second = await addAccount(suite.app, tenant, 'owner');
  const first = { ...tenant.owner, memberId: await firstOwnerId() };
  return [
    { app: suite.app, owner: first },
    { app: other, owner: second },
  ] as const;
}

async function countOwners(): Promise<number> {
  const members = suite.app.services.platform.query.selectFrom('memberships').select('id');
  return (await members.where('tenant_id', '=', tenant.id).where('role', '=', 'owner').execute()).length;
}

describe.each(rounds)('two concurrent owners, round %i', () => {
  test.each([
    ['demote', 'PUT', { role: 'viewer' }],
    ['remove', 'DELETE', undefined],
  ] as const)('two owners who concurrently %s each other leave one owner', async (_what, method, payload) => {
    const [left, right] = await twoOwners();
    const answers = await atTheSameTime(() => [
      sendAs(left.app, left.owner, method, `/members/${right.owner.memberId}`, payload),
      sendAs(right.app, right.owner, method, `/members/${left.owner.memberId}`, payload),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await countOwners()).toBe(1);
  });

  test.each([
    ['step down', 'PUT', { role: 'admin' }],
    ['leave', 'DELETE', undefined],
  ] as const)('two owners who concurrently %s leave one owner', async (_what, method, payload) => {
    const [left, right] = await twoOwners();
    const answers = await atTheSameTime(() => [
      sendAs(left.app, left.owner, method, `/members/${left.owner.memberId}`, payload),
      sendAs(right.app, right.owner, method, `/members/${right.owner.memberId}`, payload),
    ]);
    expect(answers.map(outcomeOf).sort()).toEqual([[200, null], lastOwner]);
    expect(await countOwners()).toBe(1);
  });
});

test.each([
  ['is given another role', 'PUT', { role: 'viewer' }, ['viewer']],
  ['is withdrawn', 'DELETE', undefined, []],
] as const)('an invitation that %s while it is being accepted ends with what the owner decided', async (...row) => {
  const [_what, method, payload, roles] = row;
  const email = newEmail();
  const { id } = await addMember(suite.tenant, email, 'owner');
  const token = await mailedToken(suite.app, email);
  const [changed] = await atTheSameTime(() => [
    sendAs(suite.app, suite.tenant.owner, method, `/members/${id}`, payload),
    accept(other, { token }),
  ]);
  expect(changed?.status).toBe(200);
  const members: { role: string }[] = await membersWith(suite.tenant, email);
  expect(members.map(({ role }) => role)).toEqual(roles);
});

test('ten concurrent invitations of one address leave one invitation, with an account or without', async () => {
  const tenTimes = (email: string) => {
    const apps = Array.from({ length: 10 }, (_unused, index) => (index % 2 === 0 ? suite.app : other));
    const payload = { email, role: 'viewer' };
    return Promise.all(apps.map((app) => sendAs(app, suite.tenant.owner, 'POST', '/members', payload)));
  };
  for (const email of [(await addUser(suite.app)).email, newEmail()]) {
    // A tenant mails three invitations a day to one address.
    const statuses = (await tenTimes(email)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(3).fill(201), ...Array(7).fill(429)]);
    expect(await membersWith(suite.tenant, email)).toMatchObject([{ status: 'invited' }]);
  }
});
