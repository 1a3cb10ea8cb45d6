import type { TenantRole } from '../../src/db/tables/platform/identity.ts';
import type { TenantsTable } from '../../src/db/tables/platform/tenants.ts';
import { inviteToTenant } from '../../src/features/accounts/invitations/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { freshAddress, testPassword } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { mailedToken, mailsTo } from '../support/mails.ts';

/** Inserts the row of a tenant without a database, which is enough for the identity routes. */
export async function addTenantRow(app: TestApp, name: string, status: TenantsTable['status'] = 'active') {
  const at = app.services.clock.now();
  const row = { id: newId(), name, status, plan_code: 'free', limits_json: '{}', placement: 'embedded' };
  await app.services.platform.query
    .insertInto('tenants')
    .values({ ...row, database_name: null, database_secret: null, created_at: at, updated_at: at, closed_at: null })
    .execute();
  return { id: row.id, name };
}

/** Sends a login, by default from an unused client address. */
export function login(app: TestApp, body: object, remoteAddress = freshAddress()): Promise<Answer> {
  return app.request({
    method: 'POST',
    url: '/api/auth/login',
    payload: { password: testPassword, ...body },
    remoteAddress,
  });
}

/** Reads who is logged in. */
export function me(app: TestApp, headers: Record<string, string>): Promise<Answer> {
  return app.request({ method: 'GET', url: '/api/auth/me', headers });
}

/** Posts to a public identity route, by default from an unused client address. */
export function post(app: TestApp, path: string, payload: object, remoteAddress = freshAddress()): Promise<Answer> {
  return app.request({ method: 'POST', url: `/api/v1/auth${path}`, payload, remoteAddress });
}

/** Registers a user, by default with the password that the suites share. */
export function register(app: TestApp, email: string, fields: object = {}): Promise<Answer> {
  app.secrets.note(testPassword);
  return post(app, '/register', { name: 'Ada Lovelace', email, password: testPassword, ...fields });
}

/** Posts to an identity route as a logged-in user. */
export function postAs(app: TestApp, headers: Record<string, string>, path: string, payload?: object): Promise<Answer> {
  return app.request({ method: 'POST', url: `/api/v1/auth${path}`, headers, ...(payload && { payload }) });
}

/** Returns the links of the newest mail to an address: path of the page to token. */
export async function mailedLinks(app: TestApp, email: string): Promise<Record<string, string>> {
  const newest = (await mailsTo(app, email)).at(-1) ?? '';
  const links = [...newest.matchAll(/(\/[a-z-]+)#token=([\w-]+)/g)].map(([, page, token]) => [page ?? '', token ?? '']);
  for (const [, token] of links) if (token) app.secrets.note(token);
  return Object.fromEntries(links);
}

/** Invites an address to a tenant, which may be only a row without a database. */
export async function sendInvitation(
  app: TestApp,
  tenant: { id: string; name: string },
  email: string,
  role: TenantRole,
): Promise<void> {
  const { services } = app;
  const at = services.clock.now();
  await services.platform.transaction((tx) =>
    inviteToTenant(services, tx, { tenant, email, role, at, isLimited: false }),
  );
}

/** Invites an address to a tenant and returns the token of the mailed link. */
export async function inviteMember(
  app: TestApp,
  tenant: { id: string; name: string },
  email: string,
  role: TenantRole,
): Promise<string> {
  await sendInvitation(app, tenant, email, role);
  return mailedToken(app, email);
}

/** Accepts an invitation, by default from an unused client address. */
export function accept(app: TestApp, body: object, remoteAddress = freshAddress()): Promise<Answer> {
  const payload = { name: 'Katherine Johnson', password: testPassword, ...body };
  return app.request({ method: 'POST', url: '/api/v1/auth/accept-invitation', payload, remoteAddress });
}

/** Returns the platform's audit records about a resource, oldest first, without the logins of users. */
export async function auditOf(app: TestApp, resourceId: string) {
  const records = await auditWithLoginsOf(app, resourceId);
  return records.filter(({ event }) => !/^USER\.LO(?:GIN|GOUT|CKED)/.test(event));
}

/** Returns the platform's audit records about a resource, oldest first. */
export function auditWithLoginsOf(app: TestApp, resourceId: string) {
  return app.services.platform.query
    .selectFrom('audit_logs')
    .select(['event', 'actor_type', 'actor_id', 'request_id', 'changes_json'])
    .where('resource_id', '=', resourceId)
    .orderBy('occurred_at')
    .orderBy('id')
    .execute();
}
