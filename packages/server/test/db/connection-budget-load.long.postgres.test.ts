import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { csv, sendFile } from '../licensing/license-files.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { withClient } from '../support/clients.ts';
import { useApp } from '../support/harness.ts';
import { newLicense, newPolicy } from '../support/licensing-catalog.ts';

// After a change to the budget run it with more load: BUDGET_TENANTS=60 BUDGET_CONNECTIONS=8.
const tenantCount = Number(process.env['BUDGET_TENANTS'] ?? 8);
const budget = Number(process.env['BUDGET_CONNECTIONS'] ?? 3);
const suite = useApp({ TENANT_CONNECTIONS_PER_SERVER: String(budget), LOG_LEVEL: 'warn' });

/** A tenant with a policy and a license. */
interface Active {
  readonly tenant: TestTenant;
  readonly policyCode: string;
  readonly license: { readonly id: string; readonly key: string };
}

const active: Active[] = [];

beforeAll(async () => {
  // Starts the background work too, which also opens every tenant's database.
  await suite.app.listen();
  const admin = await createAdmin(suite.app);
  const queue = Array.from({ length: tenantCount }, (_, index) => `Tenant ${index}`);
  const makeSome = async () => {
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const tenant = await createTenant(suite.app, admin, name);
      const { code } = await newPolicy(tenant);
      active.push({ tenant, policyCode: code, license: await newLicense(tenant, { max_activations: 5 }) });
    }
  };
  await Promise.all([makeSome(), makeSome(), makeSome(), makeSome()]);
});

let isOver = false;
afterAll(() => {
  isOver = true;
});

/** Returns the maximum number of simultaneous connections to this suite's tenants, as a superuser sees them. */
async function mostConnections(): Promise<number> {
  const rows = await suite.app.services.platform.query.selectFrom('tenants').select('database_name').execute();
  const names = rows.map(({ database_name }) => database_name);
  let most = 0;
  await withClient(inject('postgresUrl'), async (client) => {
    while (!isOver) {
      const count = 'select count(*)::int as open from pg_stat_activity where datname = any($1)';
      const { rows: counted } = await client.query<{ open: number }>(count, [names]);
      most = Math.max(most, counted[0]?.open ?? 0);
      // Without a pause the watcher would use half of a CPU.
      await pause(5);
    }
  });
  return most;
}

/** Repeats a request that waited too long for a connection, as an application does: on a busy machine some may. */
async function untilServed<Response extends { readonly status: number }>(
  send: () => Promise<Response>,
): Promise<Response> {
  let response = await send();
  while (response.status === 503) response = await send();
  return response;
}

/** Sends concurrent requests of an application and an owner, including imports of files. Returns their statuses. */
async function useTenant({ tenant, policyCode, license }: Active): Promise<number[]> {
  const validate = () => tenant.asApplication(`/licenses/${license.key}/validate`, {});
  const importLicenses = () => sendFile(suite.app, tenant, csv('policy', ...Array<string>(200).fill(policyCode)));
  const requests = [
    validate,
    importLicenses,
    ...[1, 2, 3].map(
      (machine) => () =>
        tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: `machine ${machine}` }),
    ),
    () => tenant.asOwner('GET', '/licenses?limit=50'),
    () => tenant.asOwner('PUT', `/licenses/${license.id}`, { metadata: { seen: 'yes' } }),
    validate,
    importLicenses,
    () => tenant.asOwner('GET', '/audit-logs?limit=50'),
    validate,
  ];
  const responses = await Promise.all(requests.map(untilServed));
  return responses.map(({ status }) => status);
}

test('all active tenants are served within the connection budget', async () => {
  const watching = mostConnections();
  const statuses = await Promise.all(active.map(useTenant)).finally(() => {
    isOver = true;
  });
  expect(statuses.flat().filter((status) => status >= 400)).toEqual([]);
  const most = await watching;
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(budget);
  const { connections } = suite.app.services;
  await eventually(() => expect(connections.counts()).toEqual([expect.objectContaining({ waiting: 0 })]));
});
