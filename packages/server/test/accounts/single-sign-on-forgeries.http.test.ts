import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { createSite, startApp, stopApp, useApp, useClock } from '../support/harness.ts';
import { type HostileIssuer, type Misbehaviour, signHonestly, startHostileIssuer } from '../support/hostile-issuer.ts';
import { arrivalOf, openBrowser, signOnClient, signOnSettings } from '../support/single-sign-on.ts';

const clock = useClock();
let issuer: HostileIssuer;
const suite = useApp(async () => {
  issuer = await startHostileIssuer();
  return { ...signOnSettings(issuer.issuer), OIDC_SIGN_UP: 'true' };
});
afterAll(() => issuer.close());
beforeEach(() => issuer.behave({}));

/** Logs in while the issuer behaves in a certain way. Returns the status and the code of the error, if any. */
async function attempt(misbehaviour: Misbehaviour): Promise<(string | number | undefined)[]> {
  const browser = openBrowser(suite.app);
  const started = await browser.start();
  issuer.behave(misbehaviour);
  const answer = await browser.comeBack(issuer.authorize(String(started.headers.location)));
  return [answer.status, answer.body?.error.code];
}

const accepted = [303, undefined];
const invalid = [401, 'AUTH.SSO_TOKEN_INVALID'];
const seconds = () => Math.floor(Date.now() / 1000);

test('an honest token is accepted, and the service proves the code with the verifier of PKCE', async () => {
  expect(await attempt({})).toEqual(accepted);
  expect(issuer.tokenRequest.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  expect(issuer.tokenRequest.get('grant_type')).toBe('authorization_code');
});

const tokenClaims: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['the nonce of another login', { nonce: 'another' }],
  ['no nonce', { nonce: undefined }],
  ['another audience', { aud: 'another-client' }],
  ['no audience', { aud: undefined }],
  ['several audiences and another authorized party', { aud: [signOnClient.id, 'other'], azp: 'other' }],
  ['another issuer', { iss: 'https://evil.example' }],
  ['no issuer', { iss: undefined }],
  ['no subject', { sub: undefined }],
  ['no expiry', { exp: undefined }],
];

test.each(tokenClaims)('a token with %s is refused', async (_case, claims) => {
  expect(await attempt({ claims })).toEqual(invalid);
});

test('a token that has expired, or starts in the future, is refused by the clock of the service', async () => {
  expect(await attempt({ claims: { iat: seconds() - 400, exp: seconds() - 60 } })).toEqual(invalid);
  expect(await attempt({ claims: { nbf: seconds() + 120 } })).toEqual(invalid);
  clock.advance(3_600_000);
  expect(await attempt({})).toEqual(accepted);
});

test('a token without a signature is refused', async () => {
  const token = ({ claims }: { claims: object }) => new UnsecuredJWT({ ...claims }).encode();
  expect(await attempt({ token })).toEqual(invalid);
});

test('a token signed with the client secret, or with the public key as a secret, is refused', async () => {
  for (const secret of [signOnClient.secret, await exportSPKI((await generateKeyPair('RS256')).publicKey)]) {
    expect(
      await attempt({
        token({ claims, kid }) {
          const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
          const signed = `${part({ alg: 'HS256', kid })}.${part(claims)}`;
          return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
        },
      }),
    ).toEqual(invalid);
  }
});

test('a token whose signature or claims were changed is refused', async () => {
  expect(
    await attempt({
      async token(honest) {
        const [header, , signature] = (await signHonestly(honest)).split('.');
        const claims = Buffer.from(JSON.stringify({ ...honest.claims, email: 'victim@example.com' }));
        return `${header}.${claims.toString('base64url')}.${signature}`;
      },
    }),
  ).toEqual(invalid);
  const stranger = await generateKeyPair('RS256');
  expect(await attempt({ token: (honest) => signHonestly({ ...honest, key: stranger.privateKey }) })).toEqual(invalid);
});

test('a key inside the token is not trusted', async () => {
  const own = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(own.publicKey);
  const token = ({ claims }: { claims: object }) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', jwk, kid: 'own' }).sign(own.privateKey);
  expect(await attempt({ token })).toEqual(invalid);
});

test('a text that is not a token, and an answer without a token, are refused', async () => {
  expect(await attempt({ token: () => 'not-a-token' })).toEqual(invalid);
  const body = { access_token: 'opaque', token_type: 'Bearer' };
  expect(await attempt({ tokenAnswer: { status: 200, body } })).toEqual(invalid);
});

test('a token is refused after the issuer has withdrawn its key, and accepted with the new one at once', async () => {
  let stolen: Parameters<typeof signHonestly>[0] | undefined;
  await attempt({
    token(honest) {
      stolen = honest;
      return signHonestly(honest);
    },
  });
  await issuer.rotateKeys();
  expect(await attempt({})).toEqual(accepted);
  expect(
    await attempt({
      token: (honest) => signHonestly({ ...honest, key: stolen?.key ?? honest.key, kid: stolen?.kid ?? '' }),
    }),
  ).toEqual(invalid);
});

test('the parameter iss must name the issuer, and must be there if the issuer says that it sends it', async () => {
  expect(await attempt({ returned: { iss: 'https://evil.example' } })).toEqual(invalid);
  expect(await attempt({ returned: { iss: undefined } })).toEqual(invalid);
});

test('a code that the issuer has seen before is refused', async () => {
  expect(await attempt({ tokenAnswer: { status: 400, body: { error: 'invalid_grant' } } })).toEqual(invalid);
});

test('an error of the issuer is refused, and its text appears nowhere', async () => {
  const text = '<script>alert(1)</script>';
  const browser = openBrowser(suite.app);
  const started = await browser.start();
  issuer.behave({ returned: { code: undefined, error: 'access_denied', error_description: text } });
  const answer = await browser.comeBack(issuer.authorize(String(started.headers.location)));
  expect([answer.status, answer.body.error.code]).toEqual([401, 'AUTH.SSO_DENIED']);
  expect(answer.text).not.toContain('script');
});

const unavailable = [503, 'SERVICE.UNAVAILABLE'];

test('an issuer that fails or refuses the client is a 503, not a refusal of the person', async () => {
  expect(await attempt({ tokenAnswer: { status: 500, body: {} } })).toEqual(unavailable);
  expect(await attempt({ tokenAnswer: { status: 401, body: { error: 'invalid_client' } } })).toEqual(unavailable);
  expect(await attempt({ returned: { code: undefined, error: 'temporarily_unavailable' } })).toEqual(unavailable);
});

test('the address may come from the UserInfo endpoint, but never mixed with the statement of the token', async () => {
  const person = { email: 'userinfo@example.com', email_verified: true };
  const absent = { email: undefined, email_verified: undefined };
  expect(await attempt({ claims: { ...absent, sub: 'person-1' }, userInfo: person })).toEqual(accepted);
  const fresh = { sub: 'person-2' };
  const unverified = [403, 'AUTH.SSO_EMAIL_UNVERIFIED'];
  const mixed = { claims: { ...fresh, email: undefined, email_verified: true } };
  expect(await attempt({ ...mixed, userInfo: { sub: 'person-2', email: 'b@example.com' } })).toEqual(unverified);
  // The UserInfo of another person.
  expect(await attempt({ claims: { ...fresh, ...absent }, userInfo: { sub: 'person-3', ...person } })).toEqual(invalid);
});

test('no refused login leaves an account behind', async () => {
  const rows = await suite.app.services.platform.query.selectFrom('users').select('email').execute();
  expect(rows.map(({ email }) => email).sort()).toEqual(['ada@example.com']);
});

test('while the provider is down, the service works, login says so, and works again afterwards without a restart', async () => {
  const port = await freePort();
  const site = await createSite();
  const app = await startApp(site, signOnSettings(`http://127.0.0.1:${port}`));
  try {
    const answer = await openBrowser(app).start();
    expect([answer.status, answer.body.error.code, answer.headers['retry-after']]).toEqual([...unavailable, '10']);
    const page = await openBrowser(app).start({ ability: 'admin' }, { accept: 'text/html' });
    expect([page.status, arrivalOf(page).error]).toEqual([303, 'SERVICE.UNAVAILABLE']);
    expect((await app.request({ method: 'GET', url: '/health/ready' })).status).toBe(200);
    expect((await app.request({ method: 'GET', url: '/api/v1/auth/oidc' })).body.data.enabled).toBe(true);
  } finally {
    await stopApp(app);
    await site.remove();
  }
});

test.each([
  ['without a provider', {}, 'tenant'],
  ['for admins without OIDC_ADMIN_CLAIM', { OIDC_ADMIN_CLAIM: '' }, 'admin'],
] as const)('single sign-on %s is off', async (_case, env, ability) => {
  const site = await createSite();
  const app = await startApp(site, ability === 'tenant' ? {} : { ...signOnSettings(issuer.issuer), ...env });
  try {
    const answer = await openBrowser(app).start({ ability });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'AUTH.SSO_OFF']);
    const { data } = (await app.request({ method: 'GET', url: '/api/v1/auth/oidc' })).body;
    expect(data.abilities).toEqual(ability === 'tenant' ? [] : ['tenant']);
  } finally {
    await stopApp(app);
    await site.remove();
  }
});

test('without OIDC_SIGN_UP, an unknown person is refused and no account is created', async () => {
  const site = await createSite();
  const app = await startApp(site, signOnSettings(issuer.issuer));
  try {
    const browser = openBrowser(app);
    const started = await browser.start();
    const answer = await browser.comeBack(issuer.authorize(String(started.headers.location)));
    expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH.SSO_NO_ACCOUNT']);
    expect(await app.services.platform.query.selectFrom('users').select('id').execute()).toEqual([]);
  } finally {
    await stopApp(app);
    await site.remove();
  }
});
