import { beforeAll, expect, test } from 'vitest';
import { newAccessToken } from '../accounts/access-tokens.ts';
import { createAdmin, freshAddress, useTenant } from '../support/accounts.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { fillPath, type LiveRoute, liveRoutes, unknownValues } from '../support/routes.ts';
import { countAllRows } from '../support/row-counts.ts';
import { logInHolder, openPortal } from './portal-data.ts';

const suite = useTenant();
const portal = '/api/v1/portal/';
let handle: string;
let token: string;

beforeAll(async () => {
  handle = await openPortal(suite.tenant);
  const license = await newLicense(suite.tenant, {}, { holder: { email: 'ada@example.com' } });
  token = await logInHolder(suite.app, suite.tenant, handle, license.id);
});

function send({ method, path }: LiveRoute, headers: Record<string, string>) {
  const url = fillPath(path, { ...unknownValues(), tenantId: suite.tenant.id, handle });
  return suite.app.request({ method, url, headers, remoteAddress: freshAddress() });
}

test('the token of a holder is refused on every operation outside of the portal that needs a credential', async () => {
  const before = await countAllRows(suite.app, suite.tenant.id);
  const guarded = liveRoutes(suite.app).filter(
    ({ path, security }) => !path.startsWith(portal) && security.length > 0 && path !== '/metrics',
  );
  expect(guarded.length).toBeGreaterThan(200);
  for (const route of guarded) {
    for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-api-key': token }]) {
      expect((await send(route, headers)).status, `${route.title} with ${Object.keys(headers)}`).toBe(401);
    }
  }
  expect(await countAllRows(suite.app, suite.tenant.id)).toEqual(before);
});

test('no credential of another kind is accepted by an operation of the portal that needs a holder', async () => {
  const admin = await createAdmin(suite.app);
  const access = await newAccessToken(suite.tenant, { role: 'admin' });
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
  const credentials: Record<string, string>[] = [
    {},
    suite.tenant.owner.auth,
    admin.auth,
    bearer(access.token),
    bearer(suite.tenant.apiKey),
    { 'x-api-key': suite.tenant.apiKey },
    { 'x-api-key': token },
    bearer(`holder_${'0'.repeat(64)}`),
    bearer(`${token}0`),
    bearer(token.toUpperCase()),
    { authorization: `Basic ${btoa(`ada@example.com:${token}`)}` },
  ];
  const guarded = liveRoutes(suite.app).filter(
    ({ path, security }) => path.startsWith(portal) && security.includes('holder'),
  );
  const open = liveRoutes(suite.app).filter(({ path, security }) => path.startsWith(portal) && security.length === 0);
  expect(open.map(({ title }) => title.replace(portal, '')).sort()).toEqual([
    'GET {handle}',
    'GET {handle}/logo',
    'GET {handle}/purchase',
    'POST {handle}/login',
    'POST {handle}/login/code',
    'POST {handle}/login/link',
  ]);
  expect(guarded).toHaveLength(11);
  for (const route of guarded) {
    for (const headers of credentials) {
      const answer = await send(route, headers);
      expect([answer.status, answer.body.error.code], `${route.title} with ${JSON.stringify(headers)}`).toEqual([
        401,
        'AUTH.INVALID_TOKEN',
      ]);
    }
    if (route.path.endsWith('/logout')) continue;
    expect((await send(route, bearer(token))).status, route.title).not.toBe(401);
  }
});
