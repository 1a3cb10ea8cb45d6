import { expect, test } from 'vitest';
import { useApp } from '../support/harness.ts';

const suite = useApp();

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: object;
}

/** Requests of a tenant's users, of users without a tenant and of applications, and not those that log in. */
const surfaces = /^\/api\/v1\/(tenant|integration|onboarding|account|billing)(\/|$)/;

/** POST routes that create nothing, and that a repeated request may perform again. */
const actions = [
  '/api/v1/account/deletion',
  // A repetition replaces the request before it.
  '/api/v1/account/email',
  '/api/v1/account/invitations/{id}/accept',
  '/api/v1/account/invitations/{id}/decline',
  '/api/v1/integration/licenses/{key}/activations/{id}/deactivate',
  '/api/v1/integration/licenses/{key}/activations/{id}/heartbeat',
  '/api/v1/integration/licenses/{key}/activations/list',
  '/api/v1/integration/licenses/{key}/certificate',
  '/api/v1/integration/licenses/{key}/entitlements/check',
  '/api/v1/integration/licenses/{key}/validate',
  '/api/v1/integration/releases/latest',
  '/api/v1/integration/releases/{id}/artifacts/{artifact_id}/download',
  // One device has one trial, however often it asks.
  '/api/v1/integration/trials',
  '/api/v1/integration/trials/confirm',
  '/api/v1/onboarding/{id}/cancel',
  '/api/v1/onboarding/{id}/complete',
  '/api/v1/tenant/bulk-operations/{id}/cancel',
  // A sale is applied to what it entitles to, however often.
  '/api/v1/tenant/close',
  '/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/apply',
  '/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/cancel',
  '/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/differences/{difference_id}/apply',
  '/api/v1/tenant/connections/{id}/events/{event_id}/retry',
  '/api/v1/tenant/connections/{id}/sales/{sale_id}/apply',
  '/api/v1/tenant/license-batches/{id}/cancel',
  '/api/v1/tenant/licenses/imports/{id}/cancel',
  '/api/v1/tenant/licenses/{id}/certificate',
  '/api/v1/tenant/licenses/{id}/portal-link',
  '/api/v1/tenant/licenses/{id}/reinstate',
  '/api/v1/tenant/licenses/{id}/revoke',
  '/api/v1/tenant/licenses/{id}/suspend',
  '/api/v1/tenant/licenses/{id}/validate',
  '/api/v1/tenant/mail-templates/{type}/preview',
  '/api/v1/tenant/mail-templates/{type}/test',
  '/api/v1/tenant/notifications/read-all',
  '/api/v1/tenant/notifications/{id}/read',
  '/api/v1/tenant/policies/{id}/archive',
  '/api/v1/tenant/portal/domain/verify',
  '/api/v1/tenant/policies/{id}/copy-to-live',
  '/api/v1/tenant/policies/{id}/unarchive',
  '/api/v1/tenant/products/{id}/allow-trial',
  '/api/v1/tenant/products/{id}/archive',
  '/api/v1/tenant/products/{id}/releases/{release_id}/publish',
  '/api/v1/tenant/products/{id}/releases/{release_id}/yank',
  '/api/v1/tenant/products/{id}/unarchive',
  '/api/v1/tenant/test-tenant',
  '/api/v1/tenant/webhook-deliveries/{id}/resend',
  '/api/v1/tenant/webhooks/{id}/recover',
  '/api/v1/tenant/webhooks/{id}/test',
];

function listPosts() {
  const paths = suite.app.http.swagger().paths as Readonly<Record<string, { readonly post?: Operation }>>;
  return Object.entries(paths).flatMap(([path, { post }]) => (post ? [{ path, post }] : []));
}

const takesKey = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'Idempotency-Key');

test('every POST route of users and applications takes an Idempotency-Key, unless it is listed as an action', async () => {
  const posts = listPosts().filter(({ path }) => surfaces.test(path));
  const withoutKey = posts.filter(({ post }) => !takesKey(post)).map(({ path }) => path);
  expect(withoutKey.sort()).toEqual([...actions].sort());
  expect(posts.length - withoutKey.length).toBeGreaterThanOrEqual(15);
});

test('every route that takes an Idempotency-Key documents the header of a replay', async () => {
  for (const { post } of listPosts().filter((route) => takesKey(route.post))) {
    const [success = ''] = Object.keys(post.responses);
    expect(post.responses).toHaveProperty([success, 'headers', 'Idempotency-Replayed']);
  }
});
