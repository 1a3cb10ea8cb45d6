import type { Demo, DemoAccount } from './demo-file.ts';
import { demoHolder } from './portal.ts';
import { demoProduct } from './samples/catalog.ts';

/** The demo, with the handle of its tenant's portal; null if it is switched off. */
type PreparedDemo = Demo & { readonly portal: string | null };

/** Returns the instructions for a demo that is served at `address`, with accounts for the dashboard and commands to paste into a shell. */
export function demoInstructions(address: string, demo: PreparedDemo): string {
  const { admin, user, portal } = demo;
  return `
The licensing service runs on ${address}, and that is also the address of its dashboard: open it in a browser.
The platform's administration is at ${address}/admin, the guides and the API reference are at ${address}/docs.
${validation(address, demo)}${portalText(address, portal)}
Log in as the owner of the demo tenant (${user.email}, password ${user.password}):
  ${post(`${address}/api/auth/login`, credentials(user, 'tenant'))}

Log in as an admin of the platform (${admin.email}, password ${admin.password}):
  ${post(`${address}/api/auth/login`, credentials(admin, 'admin'))}

Sign up for your own tenant with "New tenant" in the dashboard, and pay with the card 4242 4242 4242 4242, any future
date and any three digits; no money moves.

Stop with Ctrl+C. The data is kept; the passwords and the key above are in demo.json in the data directory.
`;
}

/** Without a license there is nothing to validate or to try: the demo data was removed. */
function validation(address: string, { tenant: { licenseKey }, apiKey, trialKey }: Demo): string {
  if (licenseKey === null) return '';
  const integration = `${address}/api/v1/integration`;
  const device = { product: demoProduct.code, fingerprint: 'my-computer' };
  return `
Validate the demo license:
  ${post(`${integration}/licenses/${licenseKey}/validate`, {}, `X-API-Key: ${apiKey}`)}

Start a trial of the demo product, which needs no license key:
  ${post(`${integration}/trials`, device, `X-API-Key: ${trialKey}`)}
`;
}

function portalText(address: string, handle: string | null): string {
  if (handle === null) return '';
  return `
The portal of the demo tenant, for the people who bought a license, is at ${address}/portal/${handle}.
Log in with ${demoHolder.email}: the mail with the code is in the folder "mail" of the data directory.

The shortest demonstration: log in to the dashboard as the owner below, open "Shop connections", then "Demo shop", and
choose "Send a test sale". One picture shows the message, the license, the mail and the page of the buyer.
`;
}

function credentials({ email, password }: DemoAccount, ability: 'tenant' | 'admin') {
  return { email, password, ability };
}

/** No escaping is needed inside single quotes: the values are our own URLs, hex, base64url and JSON of these. */
function post(url: string, body: object, ...headers: readonly string[]): string {
  const allHeaders = [...headers, 'Content-Type: application/json'].map((header) => `-H '${header}'`);
  return `curl -sS ${url} ${allHeaders.join(' ')} -d '${JSON.stringify(body)}'`;
}
