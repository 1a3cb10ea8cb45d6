import type { Demo, DemoAccount } from './demo-file.ts';
import { demoPlanCode } from './demo-plan.ts';

/** What somebody can paste into a shell once the demo is served on `address`. */
export function demoInstructions(address: string, { admin, user, tenant, apiKey }: Demo): string {
  return `
The licensing service runs on ${address}, its API reference on ${address}/docs.

Validate the demo license:
  ${post(`${address}/api/v1/integration/licenses/${tenant.licenseKey}/validate`, {}, `X-API-Key: ${apiKey}`)}

Log in as the owner of the demo tenant (${user.email}, password ${user.password}):
  ${post(`${address}/api/auth/login`, credentials(user, 'tenant'))}

Log in as an admin of the platform (${admin.email}, password ${admin.password}):
  ${post(`${address}/api/auth/login`, credentials(admin, 'admin'))}

Sign up for a tenant of your own with the owner's token, and pay at the checkout_url that it answers with the card
4242 4242 4242 4242, any date to come and any three digits; no money moves:
  ${post(`${address}/api/v1/onboarding/checkout`, { plan: demoPlanCode, tenant_name: 'My Company' }, 'Authorization: Bearer TOKEN')}

Stop with Ctrl+C. The data stays; the passwords and the key above are in demo.json beside it.
`;
}

function credentials({ email, password }: DemoAccount, ability: 'tenant' | 'admin') {
  return { email, password, ability };
}

/** Nothing in it needs quoting inside single quotes: URLs of ours, hex, base64url and JSON of these. */
function post(url: string, body: object, ...headers: readonly string[]): string {
  const allHeaders = [...headers, 'Content-Type: application/json'].map((header) => `-H '${header}'`);
  return `curl -sS ${url} ${allHeaders.join(' ')} -d '${JSON.stringify(body)}'`;
}
