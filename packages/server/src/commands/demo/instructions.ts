import type { Demo, DemoAccount } from './demo-file.ts';

/** Returns the instructions for a demo that is served at `address`: whom to log in as, and a command that validates. */
export function demoInstructions(address: string, { admin, user, tenant, apiKey }: Demo): string {
  return `
The licensing service runs on ${address}, open it in a browser.
  Log in there as the owner of the demo company: ${login(user)}
  and on ${address}/admin as an admin of the platform: ${login(admin)}

To sign up for a tenant of your own, choose "New tenant" in the dashboard, and pay with the card 4242 4242 4242 4242, any
future date and any three digits; no money moves.
${validation(address, tenant.licenseKey, apiKey)}
The guides and the reference of the API are at ${address}/docs.
Stop with Ctrl+C. The data is kept; the passwords and the API key are in demo.json in the data directory.
`;
}

function login({ email, password }: DemoAccount): string {
  return `${email}, password ${password}`;
}

/** Without a license there is nothing to validate: the demo data was removed. */
function validation(address: string, licenseKey: string | null, apiKey: string): string {
  if (licenseKey === null) return '';
  return `
Validate the demo license:
  ${post(`${address}/api/v1/integration/licenses/${licenseKey}/validate`, {}, `X-API-Key: ${apiKey}`)}
`;
}

/** No escaping is needed inside single quotes: the values are our own URLs, hex, base64url and JSON of these. */
function post(url: string, body: object, ...headers: readonly string[]): string {
  const allHeaders = [...headers, 'Content-Type: application/json'].map((header) => `-H '${header}'`);
  return `curl -sS ${url} ${allHeaders.join(' ')} -d '${JSON.stringify(body)}'`;
}
