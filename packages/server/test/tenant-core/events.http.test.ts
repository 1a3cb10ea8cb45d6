import { beforeAll, describe, expect, test } from 'vitest';
import type { TenantTransaction } from '../../src/db/database.ts';
import { recordEvent } from '../../src/features/tenant-core/events/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { created, newLicense } from '../support/licensing-catalog.ts';
import { countAllRows } from '../support/row-counts.ts';

const suite = useApp();
let admin: Account;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
});

async function newEndpoint(tenant: TestTenant, events: readonly string[]): Promise<string> {
  return created(await tenant.asOwner('POST', '/webhooks', { url: 'https://hooks.example.com/', events })).id;
}

/** Runs `work` in a transaction of the tenant, as a change does. */
function change(tenant: TestTenant, work: (tx: TenantTransaction, at: string) => Promise<unknown>): Promise<unknown> {
  const { tenants, clock } = suite.app.services;
  return tenants.withTenantDb(tenant.id, (db) => db.transaction((tx) => work(tx, clock.now())));
}

const rowsOf = async (tenant: TestTenant) => {
  const counts = await countAllRows(suite.app, tenant.id);
  return [counts['tenant.events'], counts['tenant.webhook_deliveries']];
};

describe('an event', () => {
  test('makes one delivery for each enabled endpoint that subscribes to it, in the transaction of the change', async () => {
    const tenant = await createTenant(suite.app, admin);
    const all = await newEndpoint(tenant, ['*']);
    const some = await newEndpoint(tenant, ['license.created', 'license.deleted']);
    await newEndpoint(tenant, ['activation.created']);
    const disabled = await newEndpoint(tenant, ['*']);
    await tenant.asOwner('PUT', `/webhooks/${disabled}`, { status: 'disabled' });
    const deleted = await newEndpoint(tenant, ['*']);
    await tenant.asOwner('DELETE', `/webhooks/${deleted}`);
    const license = await newLicense(tenant);
    const [eventsBefore = 0, deliveriesBefore = 0] = await rowsOf(tenant);
    const made = await change(tenant, (tx, at) =>
      recordEvent(tx, { type: 'license.created', data: () => license, requestId: 'request-1', at }),
    );
    expect(made).toBe(2);
    expect(await rowsOf(tenant)).toEqual([eventsBefore + 1, deliveriesBefore + 2]);
    const { data } = (await tenant.asOwner('GET', '/webhook-deliveries?event_type=license.created&limit=2')).body;
    expect(data.map((one: { webhook_id: string }) => one.webhook_id).sort()).toEqual([all, some].sort());
  });

  test('of a change that rolls back does not exist', async () => {
    const tenant = await createTenant(suite.app, admin);
    await newEndpoint(tenant, ['*']);
    const before = await rowsOf(tenant);
    const rolledBack = change(tenant, async (tx, at) => {
      const data = () => ({ license_id: newId(), entitlement: 'export', limit: 1, usage: 1, resets_at: null });
      expect(await recordEvent(tx, { type: 'entitlement.limit_reached', data, requestId: null, at })).toBe(1);
      throw new Error('The change failed.');
    });
    await expect(rolledBack).rejects.toThrow('The change failed.');
    expect(await rowsOf(tenant)).toEqual(before);
  });

  test('is not even presented in a tenant without endpoints', async () => {
    const tenant = await createTenant(suite.app, admin);
    const before = await rowsOf(tenant);
    const made = await change(tenant, (tx, at) => {
      const data = (): never => {
        throw new Error('Nobody asked for this.');
      };
      return recordEvent(tx, { type: 'license.updated', data, requestId: null, at });
    });
    expect(made).toBe(0);
    expect(await rowsOf(tenant)).toEqual(before);
  });

  test('that nobody subscribes to is kept where an endpoint exists, so that it can be recovered', async () => {
    const tenant = await createTenant(suite.app, admin);
    await newEndpoint(tenant, ['license.created']);
    const [events = 0, deliveries = 0] = await rowsOf(tenant);
    const data = () => ({ license_id: newId(), entitlement: 'export', limit: 1, usage: 1, resets_at: null });
    await change(tenant, (tx, at) => recordEvent(tx, { type: 'entitlement.limit_reached', data, requestId: null, at }));
    expect(await rowsOf(tenant)).toEqual([events + 1, deliveries]);
  });
});
