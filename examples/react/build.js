// Embeds the vendor's address, API key and public keys in the application. An application that fetched the keys when it
// runs would trust whoever answers. Without the variables, what an earlier build embedded stays.
import { writeFile } from 'node:fs/promises';
import { LicensingClient } from '@licensing/sdk';

const { LICENSING_URL: baseUrl, LICENSING_API_KEY: apiKey, LICENSING_TENANT_ID: tenantId } = process.env;
if (baseUrl && apiKey && tenantId) {
  const jwks = await new LicensingClient({ baseUrl, apiKey }).jwks(tenantId);
  const issuer = process.env.LICENSING_ISSUER ?? baseUrl;
  await writeFile('vendor.json', JSON.stringify({ baseUrl, apiKey, issuer, audience: tenantId, jwks }, null, 2));
}
