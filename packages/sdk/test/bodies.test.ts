import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LicensingClient, ManagementClient } from '../src/index.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly required?: boolean };
}

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> } = JSON.parse(
  readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'),
);
const sent: { readonly path: string; readonly init: RequestInit }[] = [];
const baseUrl = 'https://licensing.example.com';
const fetch = async (url: string, init: RequestInit) => {
  sent.push({ path: url.slice(baseUrl.length), init });
  return Response.json({ data: { id: 'id' } });
};
const client = new LicensingClient({ baseUrl, apiKey: 'vx_1', fetch });
const { licenses, notifications, webhooks, webhookDeliveries } = new ManagementClient({
  baseUrl,
  accessToken: 'service_1',
  fetch,
});

/** Operations of which the SDK has no method. */
const withoutMethod = [
  '/api/v1/tenant/licenses/{id}/portal-link',
  ...['products', 'policies'].flatMap((kind) =>
    ['archive', 'unarchive'].map((action) => `/api/v1/tenant/${kind}/{id}/${action}`),
  ),
  ...['cancel', 'undo'].map((action) => `/api/v1/tenant/bulk-operations/{id}/${action}`),
  ...[
    'events/{event_id}/retry',
    'sales/{sale_id}/apply',
    'comparisons',
    'comparisons/{comparison_id}/apply',
    'comparisons/{comparison_id}/differences/{difference_id}/apply',
  ].map((action) => `/api/v1/tenant/connections/{id}/${action}`),
  '/api/v1/tenant/mails/{id}/resend',
  '/api/v1/tenant/test-tenant',
];

test('operations that need no body are sent without one, and without its type', async () => {
  await client.heartbeat('{key}', '{id}');
  await client.deactivate('{key}', '{id}');
  for (const action of ['suspend', 'reinstate', 'revoke', 'renew', 'rotateKey'] as const)
    await licenses[action]('{id}');
  await notifications.markRead('{id}');
  await notifications.markAllRead();
  await webhooks.rotateSecret('{id}');
  await webhooks.test('{id}');
  await webhookDeliveries.resend('{id}');
  for (const { path, init } of sent) {
    expect(init.body, path).toBeUndefined();
    expect(init.headers, path).not.toHaveProperty('content-type');
  }
  const posts = Object.entries(document.paths).filter(
    ([path, { post }]) => /^\/api\/v1\/(tenant|integration)\//.test(path) && post !== undefined,
  );
  const paths = sent.map(({ path }) => decodeURIComponent(path));
  const needNone = posts.filter(([, { post }]) => !post?.requestBody?.required).map(([path]) => path);
  expect(paths.filter((path) => !needNone.includes(path))).toEqual([]);
  const haveNone = posts.filter(([, { post }]) => post?.requestBody === undefined).map(([path]) => path);
  expect(haveNone.filter((path) => !paths.includes(path)).toSorted()).toEqual(withoutMethod.toSorted());
});
