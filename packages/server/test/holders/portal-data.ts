import { runTenantJobs } from '../jobs/job-rows.ts';
import { freshAddress, type TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { mailsTo } from '../support/mails.ts';

let handles = 0;

/** Switches the portal of a tenant on, and returns its handle. */
export async function openPortal(tenant: TestTenant, handle = `portal-${++handles}`): Promise<string> {
  const answer = await tenant.asOwner('PUT', '/portal', { handle, is_enabled: true });
  if (answer.status !== 200) throw new Error(`The portal was not opened: ${answer.text}`);
  return handle;
}

/** Returns the handle of a tenant's portal. Opens it if it is not open. */
export async function portalOf(tenant: TestTenant): Promise<string> {
  const { handle, is_enabled } = (await tenant.asOwner('GET', '/portal')).body.data;
  return is_enabled ? handle : await openPortal(tenant);
}

/** Gives the portal of a tenant a domain, whose record a name server without other records has. */
export async function proveDomain(app: TestApp, tenant: TestTenant, domain: string): Promise<void> {
  const { body } = await tenant.asOwner('PUT', '/portal', { domain });
  const { txt_name, txt_value } = body.data.domain;
  Object.assign(app.services, { resolveTxt: async (name: string) => (name === txt_name ? [txt_value] : []) });
  const answer = await tenant.asOwner('POST', '/portal/domain/verify', {});
  if (answer.status !== 200) throw new Error(`The domain was not proved: ${answer.text}`);
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Sends a request to a portal, from a client address of its own, so that no throttle of another request counts. */
export function askPortal(
  app: TestApp,
  handle: string,
  method: Method,
  path: string,
  {
    token,
    payload,
    language,
  }: { readonly token?: string | undefined; readonly payload?: object; readonly language?: string } = {},
): Promise<Answer> {
  return app.request({
    method,
    url: `/api/v1/portal/${handle}${path}`,
    remoteAddress: freshAddress(),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(language !== undefined && { 'accept-language': language }),
    },
    ...(payload && { payload }),
  });
}

/** The contents of a mail to log in. */
export interface LoginMail {
  readonly code: string;
  readonly token: string;
}

/** Runs the jobs and returns the mails to log in that were sent to an address, oldest first. */
export async function loginMails(app: TestApp, _tenant: TestTenant, email: string): Promise<LoginMail[]> {
  await runTenantJobs(app);
  const mails = await mailsTo(app, email.toLowerCase());
  return mails.flatMap((text) => {
    const code = /^(\d{6})\r?$/m.exec(text)?.[1];
    const token = /#token=(\S+)/.exec(text)?.[1];
    if (code === undefined || token === undefined) return [];
    app.secrets.note(token);
    return [{ code, token }];
  });
}

/** Requests a login and returns the newest mail. Throws if none was queued. */
export async function requestLogin(
  app: TestApp,
  tenant: TestTenant,
  handle: string,
  email: string,
): Promise<LoginMail> {
  const answer = await askPortal(app, handle, 'POST', '/login', { payload: { email } });
  if (answer.status !== 202) throw new Error(answer.text);
  const mail = (await loginMails(app, tenant, email)).at(-1);
  if (mail === undefined) throw new Error(`No login was mailed to ${email}.`);
  return mail;
}

/** Logs the holder of a license in by a link of the vendor, and returns the token. */
export async function logInHolder(
  app: TestApp,
  tenant: TestTenant,
  handle: string,
  licenseId: string,
): Promise<string> {
  const link = await tenant.asOwner('POST', `/licenses/${licenseId}/portal-link`, {});
  if (link.status !== 201) throw new Error(link.text);
  const token = String(link.body.data.url).split('#token=')[1];
  app.secrets.note(token ?? '');
  const answer = await askPortal(app, handle, 'POST', '/login/link', { payload: { token } });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.token;
}
