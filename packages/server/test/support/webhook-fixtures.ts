import { recordEvent } from '../../src/features/tenant-core/events/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { createAdmin, createTenant, type TestTenant } from './accounts.ts';
import type { TestApp } from './harness.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** Returns the fixtures of webhook suites, for the service and the receiver of a suite. */
export function webhookFixtures(suite: { readonly app: TestApp }, receiver: WebhookReceiver) {
  async function freshTenant(): Promise<TestTenant> {
    // A new admin each time, because these suites move the clock beyond the lifetime of an admin's token.
    return await createTenant(suite.app, await createAdmin(suite.app));
  }

  /** Creates an endpoint on the receiver, at a unique path. */
  async function newEndpoint(tenant: TestTenant, fields: object = {}) {
    const path = `/${newId()}`;
    const answer = await tenant.asOwner('POST', '/webhooks', { url: receiver.url(path), ...fields });
    if (answer.status !== 201) throw new Error(`The endpoint was not created: ${answer.text}`);
    const { id, secret } = answer.body.data;
    return { path, id: id as string, secret: secret as string };
  }

  /** Records events of the type with the smallest data. */
  async function happen(tenant: TestTenant, count = 1): Promise<void> {
    const { clock, tenants } = suite.app.services;
    await tenants.withTenantDb(tenant.id, (db) =>
      db.transaction(async (tx) => {
        for (let index = 0; index < count; index += 1) {
          const data = () => ({ license_id: newId(), entitlement: 'export', limit: 5, usage: 5, resets_at: null });
          await recordEvent(tx, { type: 'entitlement.limit_reached', data, requestId: 'request-1', at: clock.now() });
        }
      }),
    );
  }

  const deliveriesOf = async (tenant: TestTenant, webhookId: string) =>
    (await tenant.asOwner('GET', `/webhook-deliveries?webhook_id=${webhookId}&limit=100`)).body.data;

  return { freshTenant, newEndpoint, happen, deliveriesOf };
}
