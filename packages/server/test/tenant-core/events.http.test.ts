import { describe, expect, test } from 'vitest';
import type { TenantTransaction } from '../../src/db/database.ts';
import { recordEvent } from '../../src/features/tenant-core/events/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { type TestTenant, useAdmin } from '../support/accounts.ts';
import { created, newLicense } from '../support/licensing-catalog.ts';
import { countAllRows } from '../support/row-counts.ts';

const suite = useAdmin();

async function newEndpoint(tenant: TestTenant, events: readonly string[]): Promise<string> {
  return created(await tenant.asOwner('POST', '/webhooks', { url: 'https://hooks.example.com/', events })).id;
}

/** Runs `work` in a transaction of the tenant's database. */
function change(tenant: TestTenant, work: (tx: TenantTransaction, at: string) => Promise<unknown>): Promise<unknown> {
  const { tenants, clock } = suite.app.services;
  return tenants.withTenantDb(tenant.id, (db) => db.transaction((tx) => work(tx, clock.now())));
}

/** Returns the numbers of events and of deliveries. */
const countRows = async (tenant: TestTenant) => {
  const counts = await countAllRows(suite.app, tenant.id);
  return [counts['tenant.events'], counts['tenant.webhook_deliveries']];
};

describe('an event', () => {
  test('an event creates one delivery for each enabled, subscribed endpoint, in its transaction', async () => {
    const tenant = await suite.newTenant();
    const subscribedToAll = await newEndpoint(tenant, ['*']);
    const subscribedToSome = await newEndpoint(tenant, ['license.created', 'license.deleted']);
    await newEndpoint(tenant, ['activation.created']);
    const disabled = await newEndpoint(tenant, ['*']);
    await tenant.asOwner('PUT', `/webhooks/${disabled}`, { status: 'disabled' });
    const deleted = await newEndpoint(tenant, ['*']);
    await tenant.asOwner('DELETE', `/webhooks/${deleted}`);
    const license = await newLicense(tenant);
    const [eventsBefore = 0, deliveriesBefore = 0] = await countRows(tenant);
    const deliveryCount = await change(tenant, (tx, at) =>
      recordEvent(tx, { type: 'license.created', data: () => license, requestId: 'request-1', at }),
    );
    expect(deliveryCount).toBe(2);
    expect(await countRows(tenant)).toEqual([eventsBefore + 1, deliveriesBefore + 2]);
    const { data } = (await tenant.asOwner('GET', '/webhook-deliveries?event_type=license.created&limit=2')).body;
    expect(data.map(({ webhook_id }: { webhook_id: string }) => webhook_id).sort()).toEqual(
      [subscribedToAll, subscribedToSome].sort(),
    );
  });

  test('an event is rolled back with its change', async () => {
    const tenant = await suite.newTenant();
    await newEndpoint(tenant, ['*']);
    const before = await countRows(tenant);
    const rolledBack = change(tenant, async (tx, at) => {
      const data = () => ({ license_id: newId(), entitlement: 'export', limit: 1, usage: 1, resets_at: null });
      expect(await recordEvent(tx, { type: 'entitlement.limit_reached', data, requestId: null, at })).toBe(1);
      throw new Error('The change failed.');
    });
    await expect(rolledBack).rejects.toThrow('The change failed.');
    expect(await countRows(tenant)).toEqual(before);
  });

  test('a tenant without endpoints stores no event and does not build its data', async () => {
    const tenant = await suite.newTenant();
    const before = await countRows(tenant);
    const deliveryCount = await change(tenant, (tx, at) => {
      const data = (): never => {
        throw new Error('The data was built without an endpoint.');
      };
      return recordEvent(tx, { type: 'license.updated', data, requestId: null, at });
    });
    expect(deliveryCount).toBe(0);
    expect(await countRows(tenant)).toEqual(before);
  });

  test('an event without a subscriber is stored if an endpoint exists, so that it can be recovered', async () => {
    const tenant = await suite.newTenant();
    await newEndpoint(tenant, ['license.created']);
    const [events = 0, deliveries = 0] = await countRows(tenant);
    const data = () => ({ license_id: newId(), entitlement: 'export', limit: 1, usage: 1, resets_at: null });
    await change(tenant, (tx, at) => recordEvent(tx, { type: 'entitlement.limit_reached', data, requestId: null, at }));
    expect(await countRows(tenant)).toEqual([events + 1, deliveries]);
  });
});
