import { expect, test } from 'vitest';
import { addUser, createAdmin } from '../support/accounts.ts';
import { type TestApp, useApp } from '../support/harness.ts';
import { mailedToken } from '../support/mails.ts';
import { logInAtProvider, openBrowser, signOnForToken, useSingleSignOn } from '../support/single-sign-on.ts';
import { accept, addTenantRow, auditOf, inviteMember, login, register } from './people.ts';

async function modeOf(app: TestApp): Promise<unknown> {
  return (await app.request({ method: 'GET', url: '/api/v1/auth/sign-up' })).body.data;
}

function usersWith(app: TestApp, email: string) {
  return app.services.platform.query.selectFrom('users').select('id').where('email', '=', email).execute();
}

const closed = { status: 403, code: 'AUTH.SIGN_UP_CLOSED' };
const outcomeOf = ({ status, body }: Awaited<ReturnType<typeof login>>) => ({ status, code: body.error?.code });

const open = useApp();
const closedModes = ['invite', 'off'] as const;
const suites = {
  invite: useSingleSignOn({ SIGN_UP: 'invite', OIDC_SIGN_UP: 'true' }),
  off: useSingleSignOn({ SIGN_UP: 'off', OIDC_SIGN_UP: 'true' }),
};

test('without SIGN_UP, login screens read that anyone can register', async () => {
  expect(await modeOf(open.app)).toEqual({ mode: 'open', sends_mail: false });
});

test.each(closedModes)(
  'with SIGN_UP=%s a registration is refused for every address and creates nothing',
  async (mode) => {
    const { app } = suites[mode];
    expect(await modeOf(app)).toEqual({ mode, sends_mail: false });
    const { id, email } = await addUser(app);
    for (const address of ['unknown@example.com', email]) {
      expect(outcomeOf(await register(app, address))).toEqual(closed);
    }
    expect(await usersWith(app, 'unknown@example.com')).toEqual([]);
    expect(await auditOf(app, id)).toEqual([]);
  },
);

test.each(closedModes)(
  'with SIGN_UP=%s single sign-on creates no account, whatever OIDC_SIGN_UP says',
  async (mode) => {
    const { app, provider } = suites[mode];
    const description = await app.request({ method: 'GET', url: '/api/v1/auth/oidc' });
    expect(description.body.data).toMatchObject({ enabled: true, sign_up: false });
    const stranger = provider.addPerson({ email: 'stranger@example.com', email_verified: true, name: 'Eve' });
    const browser = openBrowser(app);
    const started = await browser.start();
    const answer = await browser.comeBack(await logInAtProvider(String(started.headers.location), stranger));
    expect(outcomeOf(answer)).toEqual(closed);
    expect(await usersWith(app, 'stranger@example.com')).toEqual([]);
    const user = await addUser(app);
    const known = provider.addPerson({ email: user.email, email_verified: true });
    expect((await signOnForToken(app, known)).body.data.user.id).toBe(user.id);
  },
);

test.each(closedModes)('with SIGN_UP=%s existing users and new admins accept invitations', async (mode) => {
  const { app } = suites[mode];
  const user = await addUser(app);
  const token = await inviteMember(app, await addTenantRow(app, 'Known'), user.email, 'viewer');
  expect((await accept(app, { token })).body.data.user.id).toBe(user.id);
  const { auth: headers } = await createAdmin(app);
  const payload = { email: 'new-admin@example.com', name: 'Grace', role: 'admin' };
  await app.request({ method: 'POST', url: '/api/v1/admin/admins', headers, payload });
  const invitation = await mailedToken(app, payload.email);
  expect((await accept(app, { token: invitation })).body.data.ability).toBe('admin');
});

test('with SIGN_UP=invite an invitation creates an account', async () => {
  const { app } = suites.invite;
  const token = await inviteMember(app, await addTenantRow(app, 'Inviting'), 'invited@example.com', 'admin');
  expect((await accept(app, { token })).status).toBe(200);
  expect((await login(app, { email: 'invited@example.com' })).status).toBe(200);
});

test('with SIGN_UP=off an invitation creates no account and stays open', async () => {
  const { app } = suites.off;
  const token = await inviteMember(app, await addTenantRow(app, 'Inviting'), 'invited@example.com', 'admin');
  for (let attempt = 0; attempt < 2; attempt += 1) expect(outcomeOf(await accept(app, { token }))).toEqual(closed);
  expect(await usersWith(app, 'invited@example.com')).toEqual([]);
});
