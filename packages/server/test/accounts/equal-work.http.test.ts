import { expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { passwordWork } from '../../src/lib/password.ts';
import {
  type Account,
  addUser,
  createAdmin,
  createTenant,
  createUser,
  freshAddress,
  testPassword,
} from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { statementsOf } from '../support/statements.ts';
import { login, mailedLinks, post, register } from './people.ts';

// These tests count the work of a request instead of measuring its time, so that the result is the same on every
// machine.

const suite = useApp();

interface Work {
  readonly hashes: number;
  /** The number of statements of any kind. Which of two equivalent statements runs depends on the address. */
  readonly statements: number;
  readonly writes: number;
  readonly mails: number;
  readonly wakeUps: number;
}

async function workOf(request: () => Promise<{ readonly status: number; readonly body: unknown }>) {
  const hashesBefore = passwordWork.begun;
  let answer: unknown;
  const statements = await statementsOf(suite.app, async () => {
    const { status, body } = await request();
    answer = { status, data: (body as { data: unknown }).data };
  });
  const work: Work = {
    hashes: passwordWork.begun - hashesBefore,
    statements: statements.length,
    writes: statements.filter((statement) => !statement.startsWith('select')).length,
    mails: statements.filter((statement) => statement === 'insert mails').length,
    wakeUps: statements.filter((statement) => statement === 'insert jobs').length,
  };
  return { work, answer };
}

/** Requests a change of the address of a user. */
function askForAddress(user: Account, email: string) {
  return suite.app.request({
    method: 'POST',
    url: '/api/v1/account/email',
    headers: user.auth,
    payload: { email, password: testPassword },
    remoteAddress: freshAddress(),
  });
}

/** Returns an address that a user left a moment ago, so that the change can still be undone. */
async function leftAddress(): Promise<string> {
  const { app } = suite;
  const user = await createUser(app);
  const email = `moved-${newId()}@example.com`;
  await askForAddress(user, email);
  const { '/change-email': token } = await mailedLinks(app, email);
  expect((await post(app, '/change-email', { token })).status).toBe(200);
  return user.email;
}

/** Returns an address of each kind: verified, disabled, unverified, reserved and unknown. */
async function addresses(): Promise<Record<string, string>> {
  const { app } = suite;
  const [verified, disabled] = [await addUser(app), await addUser(app)];
  const { platform, clock } = app.services;
  await platform.query.updateTable('users').set({ disabled_at: clock.now() }).where('id', '=', disabled.id).execute();
  const unverified = `unverified-${newId()}@example.com`;
  await register(app, unverified);
  return {
    verified: verified.email,
    disabled: disabled.email,
    unverified,
    reserved: await leftAddress(),
    unknown: `nobody-${newId()}@example.com`,
  };
}

test('register and forgot-password do the same work and send the same response for every address', async () => {
  const { app } = suite;
  const emails = await addresses();
  for (const [path, hashes] of [
    ['/forgot-password', 0],
    ['/register', 1],
  ] as const) {
    const results = [];
    for (const email of Object.values(emails)) {
      const fields = path === '/register' ? { name: 'Ada', password: 'correct horse battery staple' } : {};
      results.push(await workOf(() => post(app, path, { email, ...fields })));
    }
    const [first] = results;
    expect(first?.work).toMatchObject({ hashes, mails: 1, wakeUps: 1 });
    for (const result of results) expect(result, path).toEqual(first);
  }
});

test('a change of address does the same work and sends the same response for every new address', async () => {
  const { app } = suite;
  const emails = await addresses();
  const results = [];
  for (const email of Object.values(emails)) {
    const user = await createUser(app);
    const { work, answer } = await workOf(() => askForAddress(user, email));
    const { status, data } = answer as { status: number; data: object };
    results.push({ work, status, fields: Object.keys(data) });
  }
  const [first] = results;
  expect(first?.work).toMatchObject({ hashes: 1, mails: 2, wakeUps: 1 });
  for (const result of results) expect(result).toEqual(first);
});

test('a refused login does the same work for every address', async () => {
  const { app } = suite;
  const { user, ...others } = { user: (await addUser(app)).email, unknown: 'unknown@example.com' };
  const attempt = (email: string) => workOf(() => login(app, { email, password: 'wrong horse battery staple' }));
  const known = await attempt(user);
  expect(known.work.hashes).toBe(1);
  for (const email of Object.values(others)) expect(await attempt(email)).toEqual(known);
});

test('inviting a member does the same work and sends the same response for every address', async () => {
  const { app } = suite;
  const tenant = await createTenant(app, await createAdmin(app));
  const disabled = await addUser(app);
  await app.services.platform.query
    .updateTable('users')
    .set({ disabled_at: app.services.clock.now() })
    .where('id', '=', disabled.id)
    .execute();
  const invite = async (email: string) => {
    const { work, answer } = await workOf(() => tenant.asOwner('POST', '/members', { email, role: 'owner' }));
    const { status, data } = answer as { status: number; data: object };
    return { work, status, data: { ...data, id: null, email: null, created_at: null } };
  };
  // The first invitation fills caches.
  await invite(`first-${newId()}@example.com`);
  const unknown = await invite(`unknown-${newId()}@example.com`);
  expect(unknown.status).toBe(201);
  expect(unknown.data).toMatchObject({ status: 'invited', name: null, user_id: null });
  for (const { email } of [await addUser(app), await createUser(app), disabled]) {
    expect(await invite(email)).toEqual(unknown);
  }
});
