import { newId } from '../../src/lib/ids.ts';
import type { TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { created } from '../support/licensing-catalog.ts';

export const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** Returns the input of a file. */
export function fileInput(fields: object = {}) {
  const file_name = 'Editor.exe';
  const url = `https://downloads.example.com/${newId()}/Editor.exe`;
  return { platform: 'windows', arch: 'x64', file_name, url, size: 1234, sha256: digest, ...fields };
}

/** Creates a draft with one file unless `fields` names others. */
export async function newDraft(tenant: TestTenant, productId: string, version: string, fields: object = {}) {
  const input = { version, artifacts: [fileInput()], ...fields };
  return created(await tenant.asOwner('POST', `/products/${productId}/releases`, input));
}

/** Creates a release and publishes it. */
export async function newRelease(tenant: TestTenant, productId: string, version: string, fields: object = {}) {
  const { id } = await newDraft(tenant, productId, version, fields);
  const answer = await tenant.asOwner('POST', `/products/${productId}/releases/${id}/publish`, {});
  if (answer.status !== 200) throw new Error(`The release was not published: ${answer.text}`);
  return answer.body.data;
}

/** Returns status and code of a refusal. */
export const refusal = ({ status, body }: Answer) => [status, body.error?.code];

/** Requests a path as an updater does. */
export function asUpdater(app: TestApp, { apiKey }: TestTenant, path: string, licenseKey?: string): Promise<Answer> {
  const url = path.startsWith('/api') ? path : `/api/v1/integration${path}`;
  const headers = { 'x-api-key': apiKey, ...(licenseKey !== undefined && { 'x-license-key': licenseKey }) };
  return app.request({ method: 'GET', url, headers });
}
