import { describe, expect, onTestFinished, test } from 'vitest';
import { resetTwoFactor } from '../../src/features/accounts/identity/two-factor-service.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { licensing } from '../commands/licensing.ts';
import {
  type Account,
  addAdmin,
  addUser,
  createAdmin,
  createUser,
  freshAddress,
  logIn,
  testPassword,
} from '../support/accounts.ts';
import { type Answer, createSite, startApp, stopApp, type TestApp, useApp, useClock } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';
import { oneTimeCode } from '../support/one-time-code.ts';
import { auditOf, login, me } from './people.ts';

const clock = useClock();
const suite = useApp();

const stepMs = 30_000;

type Headers = Record<string, string>;

const send = (
  headers: Headers,
  method: 'GET' | 'POST' | 'DELETE',
  path = '',
  payload?: object,
  app: TestApp = suite.app,
) => app.request({ method, url: `/api/v1/auth/two-factor${path}`, headers, ...(payload && { payload }) });

const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? null];

interface Protected extends Account {
  readonly ability: 'tenant' | 'admin';
  readonly recoveryCodes: readonly string[];
  /** Returns the app's current code, or the code a number of time steps later. */
  code(stepsLater?: number): string;
}

/** Turns two-factor authentication on for an account. This uses up the current code. */
async function protect(
  account: Account,
  ability: 'tenant' | 'admin' = 'tenant',
  app: TestApp = suite.app,
): Promise<Protected> {
  const setup = await send(account.auth, 'POST', '/setup', { password: testPassword }, app);
  expect(setup.status, setup.text).toBe(200);
  const { secret } = setup.body.data;
  app.secrets.note(secret);
  const code = (stepsLater = 0) => oneTimeCode(secret, stepsLater);
  const confirmed = await send(account.auth, 'POST', '/confirm', { code: code() }, app);
  expect(confirmed.status, confirmed.text).toBe(200);
  const recoveryCodes: string[] = confirmed.body.data.recovery_codes;
  for (const recoveryCode of recoveryCodes) app.secrets.note(recoveryCode);
  return { ...account, ability, recoveryCodes, code };
}

const protectedUser = async () => protect(await createUser(suite.app));
const nextStep = () => clock.advance(stepMs);

const logInWith = ({ email, ability }: Protected, fields: object = {}, address = freshAddress()) =>
  login(suite.app, { email, ability, ...fields }, address);

describe.each(['tenant', 'admin'] as const)('two-factor authentication with the ability %s', (ability) => {
  const create = () => (ability === 'tenant' ? createUser(suite.app) : createAdmin(suite.app, 'admin'));

  test('two-factor authentication is set up with the password and a first code, then required at login', async () => {
    const { app } = suite;
    const account = await create();
    const elsewhere = await logIn(app, account.email, ability);
    const before = await send(account.auth, 'GET');
    expect(before.body.data).toEqual({ enabled: false, enabled_at: null, recovery_codes_left: 0 });
    const setup = await send(account.auth, 'POST', '/setup', { password: testPassword });
    expect(setup.headers['cache-control']).toBe('no-store');
    expect(setup.body.data.otpauth_url).toContain(`secret=${setup.body.data.secret}`);
    // The setup is not confirmed, so a login requires no code.
    expect((await login(app, { email: account.email, ability })).status).toBe(200);
    const { recoveryCodes, ...person } = await protect(account, ability);
    expect(recoveryCodes).toHaveLength(10);
    expect((await me(app, elsewhere.auth)).status).toBe(401);
    expect((await me(app, account.auth)).body.data.two_factor_enabled).toBe(true);
    expect((await send(account.auth, 'GET')).body.data).toMatchObject({ enabled: true, recovery_codes_left: 10 });
    const all = { ...person, recoveryCodes };
    expect(outcome(await logInWith(all))).toEqual([401, 'AUTH.TWO_FACTOR_REQUIRED']);
    expect(outcome(await logInWith(all, { code: '000000' }))).toEqual([401, 'AUTH.TWO_FACTOR_INVALID']);
    nextStep();
    const good = await logInWith(all, { code: person.code() });
    expect([good.status, good.body.data.two_factor_enabled]).toEqual([200, true]);
    expect((await mailsTo(app, account.email)).at(-1)).toContain('turned on');
    const events = (await auditOf(app, account.id)).map(({ event }) => event);
    expect(events).toContain(ability === 'tenant' ? 'USER.TWO_FACTOR_ENABLED' : 'ADMIN.TWO_FACTOR_ENABLED');
  });
});

describe('a code', () => {
  test('a code is accepted once, also by concurrent logins', async () => {
    const person = await protectedUser();
    nextStep();
    const code = person.code();
    const answers = await Promise.all(Array.from({ length: 4 }, () => logInWith(person, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect(outcome(await logInWith(person, { code }))).toEqual([401, 'AUTH.TWO_FACTOR_INVALID']);
  });

  test('the code that confirmed the app and codes older than the last used one are not accepted', async () => {
    const person = await protectedUser();
    expect((await logInWith(person, { code: person.code() })).status).toBe(401);
    expect((await logInWith(person, { code: person.code(1) })).status).toBe(200);
    nextStep();
    expect((await logInWith(person, { code: person.code(-1) })).status).toBe(401);
    expect((await logInWith(person, { code: person.code() })).status).toBe(401);
    nextStep();
    expect((await logInWith(person, { code: person.code() })).status).toBe(200);
  });

  test('a right code with a wrong password is refused like a wrong password and is not used up', async () => {
    const person = await protectedUser();
    nextStep();
    const answer = await logInWith(person, { code: person.code(), password: 'wrong horse battery staple' });
    expect(outcome(answer)).toEqual([401, 'AUTH.INVALID_CREDENTIALS']);
    expect((await logInWith(person, { code: person.code() })).status).toBe(200);
  });

  test('five wrong codes lock the client address out, and a missing code neither counts nor resets', async () => {
    const person = await protectedUser();
    const address = freshAddress();
    for (const code of [undefined, '000000', '111111', undefined, '222222', '333333', undefined]) {
      expect((await logInWith(person, code === undefined ? {} : { code }, address)).status).toBe(401);
    }
    expect(outcome(await logInWith(person, { code: '444444' }, address))).toEqual([401, 'AUTH.TWO_FACTOR_INVALID']);
    nextStep();
    expect(outcome(await logInWith(person, { code: person.code() }, address))).toEqual([429, 'AUTH.LOCKED_OUT']);
    expect((await logInWith(person, { code: person.code() })).status).toBe(200);
  });

  test('at most 20 wrong codes per 15 minutes are checked, from all client addresses together', async () => {
    const person = await protectedUser();
    const guesses = await Promise.all(
      Array.from({ length: 25 }, (_, index) => logInWith(person, { code: String(index).padStart(6, '0') })),
    );
    const codes = guesses.map((answer) => outcome(answer)[1]);
    expect(codes.filter((code) => code === 'AUTH.TWO_FACTOR_INVALID').length).toBeLessThanOrEqual(20);
    expect(codes).toContain('AUTH.LOCKED_OUT');
    clock.advance(15 * 60_000);
    expect((await logInWith(person, { code: person.code() })).status).toBe(200);
  });
});

describe('a recovery code', () => {
  test('a recovery code replaces a code of the app once, in any case and with or without hyphens', async () => {
    const person = await protectedUser();
    const [first = '', second = ''] = person.recoveryCodes;
    const answers = await Promise.all(Array.from({ length: 3 }, () => logInWith(person, { code: first })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const again = await logInWith(person, { code: second.toUpperCase().replaceAll('-', ' ') });
    expect(again.status).toBe(200);
    const headers = { authorization: `Bearer ${again.body.data.access_token}` };
    expect((await send(headers, 'GET')).body.data.recovery_codes_left).toBe(8);
    const events = (await auditOf(suite.app, person.id)).map(({ event }) => event);
    expect(events.filter((event) => event === 'USER.RECOVERY_CODE_USED')).toHaveLength(2);
  });

  test('the recovery code of another user is refused and not used up', async () => {
    const [person, other] = [await protectedUser(), await protectedUser()];
    expect((await logInWith(person, { code: other.recoveryCodes[0] })).status).toBe(401);
    expect((await logInWith(other, { code: other.recoveryCodes[0] })).status).toBe(200);
  });

  test('replacing the recovery codes requires a code and invalidates the previous recovery codes', async () => {
    const person = await protectedUser();
    expect(outcome(await send(person.auth, 'POST', '/recovery-codes', { code: '000000' }))).toEqual([
      401,
      'AUTH.TWO_FACTOR_INVALID',
    ]);
    nextStep();
    const replaced = await send(person.auth, 'POST', '/recovery-codes', { code: person.code() });
    expect(replaced.headers['cache-control']).toBe('no-store');
    const codes: string[] = replaced.body.data.recovery_codes;
    for (const code of codes) suite.app.secrets.note(code);
    expect(codes).toHaveLength(10);
    expect((await logInWith(person, { code: person.recoveryCodes[0] })).status).toBe(401);
    expect((await logInWith(person, { code: codes[9] })).status).toBe(200);
  });
});

describe('turning it off', () => {
  test('turning two-factor authentication off requires the password and a code and deletes its rows', async () => {
    const { app } = suite;
    const person = await protectedUser();
    nextStep();
    const off = (fields: object) =>
      send(person.auth, 'DELETE', '', { password: testPassword, code: person.code(), ...fields });
    expect(outcome(await off({ password: 'wrong horse battery staple' }))).toEqual([401, 'AUTH.INVALID_CREDENTIALS']);
    expect(outcome(await off({ code: '000000' }))).toEqual([401, 'AUTH.TWO_FACTOR_INVALID']);
    expect((await off({ code: undefined })).status).toBe(422);
    expect((await off({})).body.data).toEqual({ enabled: false });
    expect((await logInWith(person)).status).toBe(200);
    expect((await mailsTo(app, person.email)).at(-1)).toContain('turned off');
    for (const table of ['two_factor', 'recovery_codes'] as const) {
      const rows = await app.services.platform.query
        .selectFrom(table)
        .selectAll()
        .where('subject_id', '=', person.id)
        .execute();
      expect(rows).toEqual([]);
    }
    expect((await auditOf(app, person.id)).at(-1)).toMatchObject({
      event: 'USER.TWO_FACTOR_DISABLED',
      actor_id: person.id,
    });
  });

  test('an operator can turn two-factor authentication off for a user, whose sessions then end', async () => {
    const { app } = suite;
    const [person, bystander] = [await protectedUser(), await addUser(app)];
    expect(await resetTwoFactor(app.services, 'tenant', person.email.toUpperCase(), systemActor)).toBe(true);
    expect((await me(app, person.auth)).status).toBe(401);
    expect((await logInWith(person)).status).toBe(200);
    expect((await auditOf(app, person.id)).at(-1)).toMatchObject({
      event: 'USER.TWO_FACTOR_RESET',
      actor_type: 'system',
    });
    for (const email of [person.email, bystander.email, 'nobody@example.com']) {
      expect(await resetTwoFactor(app.services, 'tenant', email, systemActor)).toBe(false);
    }
  });
});

test.each([
  ['POST', '/setup', { password: 'wrong horse battery staple' }, [401, 'AUTH.INVALID_CREDENTIALS']],
  ['POST', '/setup', {}, [422, 'VALIDATION.FAILED']],
  ['POST', '/confirm', { code: '123456' }, [409, 'AUTH.TWO_FACTOR_NOT_SET_UP']],
  ['POST', '/confirm', { code: '' }, [422, 'VALIDATION.FAILED']],
  ['POST', '/confirm', { code: '1'.repeat(41) }, [422, 'VALIDATION.FAILED']],
  ['POST', '/recovery-codes', { code: '123456' }, [409, 'AUTH.TWO_FACTOR_NOT_SET_UP']],
  ['DELETE', '', { password: testPassword, code: '123456' }, [409, 'AUTH.TWO_FACTOR_NOT_SET_UP']],
] as const)(
  'the request %s %s with %j is refused without two-factor authentication',
  async (method, path, payload, expected) => {
    const { auth } = await createUser(suite.app);
    expect(outcome(await send(auth, method, path, payload))).toEqual(expected);
  },
);

test('five wrong passwords with a token lock the account as failed logins do', async () => {
  const { auth } = await createUser(suite.app);
  const guess = () => send(auth, 'POST', '/setup', { password: 'wrong horse battery staple' });
  for (let failure = 1; failure <= 5; failure += 1) expect((await guess()).status).toBe(401);
  clock.advance(60_000);
  expect(outcome(await guess())).toEqual([429, 'AUTH.LOCKED_OUT']);
});

test('two-factor authentication that is on can be neither set up nor confirmed again', async () => {
  const person = await protectedUser();
  expect(outcome(await send(person.auth, 'POST', '/setup', { password: testPassword }))).toEqual([
    409,
    'AUTH.TWO_FACTOR_ENABLED',
  ]);
  nextStep();
  expect(outcome(await send(person.auth, 'POST', '/confirm', { code: person.code() }))).toEqual([
    409,
    'AUTH.TWO_FACTOR_ENABLED',
  ]);
});

test('a new setup replaces an unconfirmed one, and a wrong first code does not turn it on', async () => {
  const account = await createUser(suite.app);
  const first = await send(account.auth, 'POST', '/setup', { password: testPassword });
  suite.app.secrets.note(first.body.data.secret);
  const second = await send(account.auth, 'POST', '/setup', { password: testPassword });
  suite.app.secrets.note(second.body.data.secret);
  const code = oneTimeCode(first.body.data.secret);
  expect(outcome(await send(account.auth, 'POST', '/confirm', { code }))).toEqual([401, 'AUTH.TWO_FACTOR_INVALID']);
  expect((await login(suite.app, { email: account.email })).status).toBe(200);
});

test('with ADMIN_TWO_FACTOR=required an admin is refused until two-factor authentication is set up', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const app = await startApp(site, { ADMIN_TWO_FACTOR: 'required' });
  const admin = await createAdmin(app);
  const get = (url: string) => app.request({ method: 'GET', url, headers: admin.auth });
  for (const url of [
    '/api/v1/admin/tenants',
    '/api/v1/admin/admins',
    '/api/v1/admin/audit',
    '/api/v1/admin/tenants/x/products',
  ]) {
    expect(outcome(await get(url)), url).toEqual([403, 'AUTH.TWO_FACTOR_SETUP_REQUIRED']);
  }
  expect((await me(app, admin.auth)).body.data.two_factor_enabled).toBe(false);
  await protect(admin, 'admin', app);
  expect((await get('/api/v1/admin/tenants')).status).toBe(200);
  await stopApp(app);
});

test('two-factor authentication works after the application key is rotated and the old key is removed', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const before = await startApp(site);
  const { email } = await addAdmin(before);
  const person = await protect(await logIn(before, email, 'admin'), 'admin', before);
  await stopApp(before);
  const newKey = 'another-application-key-0123456789';
  const keys = { APP_KEY: newKey, APP_PREVIOUS_KEYS: String(site.env['APP_KEY']) };
  await stopApp(await startApp(site, keys));
  expect((await licensing(['keys', 'reseal'], { ...site.env, ...keys })).code).toBe(0);
  const app = await startApp(site, { APP_KEY: newKey });
  nextStep();
  expect((await login(app, { email, ability: 'admin', code: person.code() })).status).toBe(200);
  expect((await login(app, { email, ability: 'admin', code: person.recoveryCodes[3] })).status).toBe(200);
  await stopApp(app);
});
