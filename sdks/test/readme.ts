import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Service } from '../../packages/guides/test/support/service.ts';

/** The folder of the SDKs. */
export const sdks = resolve(import.meta.dirname, '..');
/** The address of the service in the READMEs, which is also the issuer of what it signs. */
export const publicUrl = 'https://licensing.example.com';
/** The device that the certificate is for. */
const fingerprint = 'device-1';

/** Returns the snippets of a README in one language, in their order. */
export function snippetsOf(folder: string, language: string): string[] {
  const text = readFileSync(join(sdks, folder, 'README.md'), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );
}

/** Returns a snippet with the address of a service, its API key and files in `folder` in the place of those it shows. */
export function ofService(code: string, { url, demo }: Service, folder: string): string {
  return code
    .replaceAll(`${publicUrl}/docs`, `${url}/docs`)
    .replaceAll(new RegExp(`(BaseURL: +|base_url = |client\\()"${publicUrl}"`, 'g'), `$1"${url}"`)
    .replaceAll('"vx_…"', `"${demo.apiKey}"`)
    .replaceAll('/var/lib/editor/', `${folder}/`);
}

/** Returns what the snippets take from their surroundings, as environment variables: keys, tokens and a certificate. */
export async function surroundings({ url, demo }: Service): Promise<Record<string, string>> {
  const license = `${url}/api/v1/integration/licenses/${demo.tenant.licenseKey}`;
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': demo.apiKey };
    const response = await fetch(`${license}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()).data;
  };
  await post('activations', { fingerprint });
  return {
    LICENSE_KEY: demo.tenant.licenseKey,
    TENANT_ID: demo.tenant.id,
    FINGERPRINT: fingerprint,
    JWKS: await (await fetch(`${url}/api/v1/tenants/${demo.tenant.id}/jwks.json`)).text(),
    CERTIFICATE: (await post('certificate', { fingerprint })).certificate,
    ...(await backend({ url, demo })),
  };
}

/** Returns what a backend of the vendor has: an access token, and the id of a policy. */
async function backend({ url, demo }: Pick<Service, 'url' | 'demo'>): Promise<Record<string, string>> {
  const call = async (path: string, token?: string, body?: object) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const options = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/v1/${path}`, { headers, ...options });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()).data;
  };
  const { email, password } = demo.user;
  const { access_token: login } = await call('auth/login', undefined, { email, password });
  const { token } = await call('tenant/access-tokens', login, { name: 'Backend', role: 'admin' });
  const [policy] = await call('tenant/policies?limit=1', token);
  return { ACCESS_TOKEN: token, POLICY_ID: policy.id };
}
