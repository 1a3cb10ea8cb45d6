import { beforeAll, describe, expect, test } from 'vitest';
import { openTenantDatabases } from '../../../src/tenancy/open-tenant-databases.ts';
import { findTenantRecord, type TenantRecord } from '../../../src/tenancy/tenant-record.ts';
import { createAdmin, createTenant, type TestTenant } from '../../support/accounts.ts';
import { newProduct } from '../../support/licensing-catalog.ts';
import { useOtherApp } from '../archive/sites.ts';
import { next } from '../upgrade/versions.ts';
import { firstServer, moveAndRemove, onServers, onStage, placeOf, secondServer, tracesIn } from './places.ts';

describe.for(['sqlite', 'postgres'] as const)('with the platform on %s', (platform) => {
  const suite = useOtherApp(platform, onServers);
  const [home, away] = platform === 'sqlite' ? ['embedded', secondServer] : [firstServer, secondServer];
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await createTenant(suite.app, await createAdmin(suite.app));
    await moveAndRemove(suite.app, tenant.id, home);
  });

  async function record(): Promise<TenantRecord> {
    const found = await findTenantRecord(suite.app.services.platform, tenant.id);
    if (found === undefined) throw new Error('The tenant does not exist.');
    return found;
  }

  test('a large write that ends right before the pause is copied after the pause has ended, and the next pause is short', async () => {
    const { tenants } = suite.app.services;
    const written = Promise.withResolvers<void>();
    const created_at = '2026-11-20T12:00:00.000000Z';
    const rows = Array.from({ length: 6_000 }, (_, index) => ({ term: `t${index}`, created_at, owner_id: 'o' }));
    const writing = async () =>
      await tenants.withTenantDb(tenant.id, (db) =>
        db.transaction(async (tx) => {
          for (let start = 0; start < rows.length; start += 1_000) {
            await tx
              .insertInto('search_terms')
              .values(rows.slice(start, start + 1_000))
              .execute();
          }
          await written.promise;
        }),
      );
    const stages: string[] = [];
    let write: Promise<void> | undefined;
    const moved = await moveAndRemove(
      suite.app,
      tenant.id,
      away,
      onStage((stage) => {
        stages.push(stage);
        if (stage === 'Checking') write = writing();
        if (stage === 'Pausing') written.resolve();
      }),
    );
    await write;
    expect(stages.filter((stage) => ['Pausing', 'Finishing'].includes(stage))).toEqual([
      'Pausing',
      'Pausing',
      'Finishing',
    ]);
    expect(moved?.changedRows).toBeGreaterThanOrEqual(rows.length);
    expect(moved?.pausedRows).toBeLessThan(100);
    const found = await tenants.readTenantDb(tenant.id, (db) =>
      db.query.selectFrom('search_terms').select('term').where('owner_id', '=', 'o').execute(),
    );
    expect(found).toHaveLength(rows.length);
  });

  test.runIf(platform === 'postgres')(
    'a migration of any version that begins during the copy is done at once, and the move gives way without a change',
    async () => {
      const databases = openTenantDatabases(suite.app.config, { ...suite.app.services, tenantMigrations: next.tenant });
      const placement = await record();
      const to = placement.placement === away ? home : away;
      let migration: Promise<unknown> | undefined;
      const migrating = onStage((stage) => {
        if (stage === 'Copying') migration = databases.migrate(placement);
      });
      await expect(moveAndRemove(suite.app, tenant.id, to, migrating)).rejects.toThrow('A migration of the tenant');
      expect(await migration).toMatchObject({ state: 'migrated' });
      expect(await placeOf(suite.app, tenant.id)).toBe(placement.placement);
      expect(await tracesIn(suite.app, tenant.id)).toEqual([]);
      await newProduct(tenant);
    },
  );
});
