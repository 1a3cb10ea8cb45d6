import type { Demo } from './demo-file.ts';
import { demoHolder } from './portal.ts';

/** The demo, with the handle of its tenant's portal; null if it is switched off. */
type PreparedDemo = Demo & { readonly portal: string | null };

/** Returns what a person needs first of a demo that is served at `address`: the address, the login, and one command. */
export function demoInstructions(address: string, demo: PreparedDemo): string {
  const { admin, user, portal } = demo;
  return `
The licensing service runs on ${address}

Log in as ${user.email}, password ${user.password}
${validation(address, demo)}
More:
  guides and API reference  ${address}/docs
  administration            ${address}/admin, as ${admin.email}, password ${admin.password}
${portalLine(address, portal)}\
  an account of your own    ${address}/register, paid with the card 4242 4242 4242 4242; no money moves
  keys and passwords        demo.json in the data directory; mails are in its folder "mail"

Stop with Ctrl+C. The data is kept.
`;
}

/** Without a license there is nothing to validate: the demo data was removed. */
function validation(address: string, { tenant: { licenseKey }, apiKey }: Demo): string {
  if (licenseKey === null) return '';
  // No escaping is needed inside single quotes: the values are our own URLs and keys.
  return `
Validate the demo license:
  curl -sS ${address}/api/v1/integration/licenses/${licenseKey}/validate -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' -d '{}'
`;
}

function portalLine(address: string, handle: string | null): string {
  return handle === null ? '' : `  portal for customers      ${address}/portal/${handle}, as ${demoHolder.email}\n`;
}
