import { expect, onTestFinished, test } from 'vitest';
import { licensing, startServe } from '../commands/licensing.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { startValkey } from '../support/valkey-server.ts';

test('two `serve` processes share one rate limit, and reject an API key that the other one revoked', {
  timeout: 60_000,
}, async () => {
  const valkey = await startValkey();
  onTestFinished(() => valkey.stop());
  const site = await createSite();
  onTestFinished(() => site.remove());
  const env = { ...site.env, VALKEY_URL: valkey.url };

  const app = await startApp(site);
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  const limits = { integration_requests_per_minute: 30 };
  const url = `/api/v1/admin/tenants/${tenant.id}`;
  await app.request({ method: 'PATCH', url, headers: admin.auth, payload: { limits } });
  await stopApp(app);

  const nodes = [await startServe([], env), await startServe([], env)] as const;
  const validate = async (turn: number): Promise<number> => {
    const { address } = turn % 2 === 0 ? nodes[0] : nodes[1];
    const headers = { 'x-api-key': tenant.apiKey };
    return (await fetch(`${address}/api/v1/integration/licenses/UNKNOWN/validate`, { method: 'POST', headers })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 50 }, (_, turn) => validate(turn)));
  expect(statuses.sort()).toEqual([...Array(30).fill(200), ...Array(20).fill(429)]);

  const { stdout } = await licensing(['doctor'], env);
  expect(stdout).toMatch(/^ok +(Valkey|Redis) \S+ responds on 127\.0\.0\.1:\d+; nodes that use it: 2$/m);

  const headers = tenant.owner.auth;
  const revoked = await fetch(`${nodes[0].address}/api/v1/tenant/api-keys/${tenant.apiKeyId}`, {
    method: 'DELETE',
    headers,
  });
  expect([revoked.status, await validate(1)]).toEqual([200, 401]);
});
