import { beforeAll, describe, expect, test } from 'vitest';
import { TenantMovingError } from '../../../src/db/errors.ts';
import { moveTenant, removeFormer } from '../../../src/features/accounts/tenants/move-service.ts';
import { createOnce } from '../../../src/features/tenant-core/idempotency/service.ts';
import { newId } from '../../../src/lib/ids.ts';
import { openTenantDatabases } from '../../../src/tenancy/open-tenant-databases.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { findTenantRecord, limitsOf } from '../../../src/tenancy/tenant-record.ts';
import { askPortal, logInHolder, openPortal } from '../../holders/portal-data.ts';
import { runTenantJobs } from '../../jobs/job-rows.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../../support/accounts.ts';
import { startApp, stopApp } from '../../support/harness.ts';
import { created, newProduct } from '../../support/licensing-catalog.ts';
import { createLicensingData, type LicensingData } from '../../support/licensing-data.ts';
import { platformRows, tenantRows, useOtherApp } from '../archive/sites.ts';
import { next } from '../upgrade/versions.ts';
import { firstServer, moveAndRemove, onServers, onStage, placeOf, secondServer, tracesOf } from './places.ts';
import { namesIn, startLoad } from './writers.ts';

describe.for(['sqlite', 'postgres'] as const)('with the platform on %s', (platform) => {
  const suite = useOtherApp(platform, onServers);
  const route = platform === 'sqlite' ? ['embedded', secondServer] : [secondServer, firstServer];
  let admin: Account;
  let tenant: TestTenant;
  let data: LicensingData;
  beforeAll(async () => {
    admin = await createAdmin(suite.app);
    tenant = await createTenant(suite.app, admin);
    data = await createLicensingData(tenant);
  });

  async function databaseOf(): Promise<string> {
    const record = await findTenantRecord(suite.app.services.platform, tenant.id);
    return `${record?.placement} ${record?.database_name}`;
  }

  async function otherPlace(): Promise<string> {
    const here = await placeOf(suite.app, tenant.id);
    return route.find((place) => place !== here) ?? '';
  }

  test('a tenant that is moved and moved back has the same rows, and the jobs of the platform are unchanged', async () => {
    const action = { type: 'set_limit', max_activations: 1 };
    await tenant.asOwner('POST', '/bulk-operations', { ids: [data.licenseId], action });
    await runTenantJobs(suite.app);
    await tenant.asApplication(`/licenses/${data.licenseKey}/activations`, { fingerprint: 'one too many' });
    await suite.app.services.validationTimes.flush();
    await suite.app.services.deviceHistory.flush();
    await suite.app.services.failedRequests.flush();
    await suite.app.services.apiKeyUsage.flush();
    const rows = await tenantRows(suite.app, tenant.id);
    const tables = ['bulk_changes', 'license_batches', 'license_checks', 'license_refusals', 'customer_notes'];
    expect(tables.filter((table) => rows[table]?.length === 0)).toEqual([]);
    const { jobs, api_keys, tenant_access_tokens, audit_outbox } = await platformRows(suite.app);
    const pausedMs: number[] = [];
    for (const place of route) {
      const moved = await moveAndRemove(suite.app, tenant.id, place);
      pausedMs.push(moved?.pausedMs ?? Number.NaN);
      expect(await placeOf(suite.app, tenant.id)).toBe(place);
      expect(await tenantRows(suite.app, tenant.id)).toEqual(rows);
      expect(await tracesOf(suite.app, tenant.id)).toEqual([]);
    }
    expect(pausedMs.every((ms) => ms > 0)).toBe(true);
    expect(await platformRows(suite.app)).toMatchObject({ jobs, api_keys, tenant_access_tokens, audit_outbox });
    const { body } = await tenant.asApplication(`/licenses/${data.licenseKey}/validate`);
    expect(body.data).toMatchObject({ valid: true, license: { id: data.licenseId } });
  });

  test('a holder who is logged in to the portal stays logged in across moves, and releases a device after each', async () => {
    const holder = { email: 'holder@example.com' };
    await tenant.asOwner('PUT', `/licenses/${data.licenseId}`, { holder, max_activations: 5 });
    const handle = await openPortal(tenant);
    const token = await logInHolder(suite.app, tenant, handle, data.licenseId);
    const devices = `/licenses/${data.licenseId}/devices`;
    for (const place of route) {
      const activation = created(
        await tenant.asApplication(`/licenses/${data.licenseKey}/activations`, { fingerprint: `at ${place}` }),
      );
      await moveAndRemove(suite.app, tenant.id, place);
      const shown = await askPortal(suite.app, handle, 'GET', devices, { token });
      expect(shown.body.data.map(({ id }: { id: string }) => id)).toContain(activation.id);
      const released = await askPortal(suite.app, handle, 'POST', `${devices}/${activation.id}/release`, {
        token,
        payload: {},
      });
      expect([released.status, released.body.data?.released]).toEqual([200, true]);
    }
  });

  test('during a move under load, acknowledged changes are kept exactly once, rejected ones are not, and verdicts continue', async () => {
    const apps = [suite.app];
    // On PostgreSQL several nodes may serve one platform, so a second node takes part.
    if (platform === 'postgres') apps.push(await startApp(suite.app.site, onServers));
    const neighbour = await createTenant(suite.app, admin, 'Neighbour');
    const [load, other] = [await startLoad(apps, tenant), await startLoad([suite.app], neighbour)];
    for (const place of route) await moveAndRemove(suite.app, tenant.id, place);
    await Promise.all([load.stop(), other.stop()]);
    const found = await namesIn(suite.app, tenant.id);
    expect([...load.surprises]).toEqual([]);
    expect([...load.verdicts]).toEqual([true]);
    const named = new Set([...load.acknowledged, ...load.refused.keys()]);
    expect(found.filter((name) => named.has(name)).sort()).toEqual([...load.acknowledged].sort());
    expect([...load.refused.values()]).toContainEqual({ code: 'TENANT.MOVING', retryAfter: '2' });
    expect(other).toMatchObject({ surprises: new Set(), refused: new Map(), verdicts: new Set([true]) });
    for (const app of apps.slice(1)) await stopApp(app);
  });

  test('a request that started before a move cannot write to the former database afterwards', async () => {
    const { tenants } = suite.app.services;
    const place = await otherPlace();
    const record = await findTenantRecord(suite.app.services.platform, tenant.id);
    if (record === undefined) throw new Error('The tenant does not exist.');
    const held = await tenants.acquire(record);
    const late = new Map<string, Promise<unknown>>();
    const write = () => held.db.query.updateTable('products').set({ name: 'Late' }).execute();
    const writing = onStage((stage) => {
      if (['Copying', 'Completing', 'Switching'].includes(stage))
        late.set(
          stage,
          write().catch((error: unknown) => error),
        );
    });
    const moved = await moveTenant(suite.app.services, systemActor, tenant.id, place, { progress: writing });
    // A removal would end their connection.
    expect([...late.keys()]).toEqual(['Copying', 'Completing', 'Switching']);
    for (const outcome of await Promise.all(late.values())) expect(outcome).toBeInstanceOf(TenantMovingError);
    if (moved !== undefined) await removeFormer(suite.app.services, moved.former, 0);
    tenants.release(held);
    const { body } = await tenant.asOwner('GET', '/products');
    expect(JSON.stringify(body.data)).not.toContain('Late');
  });

  test.for(['succeeds', 'fails'])(
    'a request with an Idempotency-Key that a move interrupts can be repeated at once after the move %s',
    async (outcome) => {
      const { services } = suite.app;
      const body = { code: newId(), name: 'Interrupted' };
      const record = await findTenantRecord(services.platform, tenant.id);
      if (record === undefined) throw new Error('The tenant does not exist.');
      const place = await otherPlace();
      const held = await services.tenants.acquire(record);
      const writing = Promise.withResolvers<void>();
      const admitted = { id: tenant.id, name: '', limits: limitsOf(record), db: held.db };
      const request = { route: 'POST /api/v1/tenant/products', key: body.code, input: { params: {}, body } };
      const first = createOnce(services, admitted, request, {
        create: async ({ db }) => {
          await writing.promise;
          await db.transaction((tx) => tx.updateTable('products').set({ name: 'Interrupted' }).execute());
        },
        answer: () => ({ status: 201, data: {} }),
        secretFields: [],
      });
      first.catch(() => undefined);
      // Writes of requests that were admitted before the pause find the seal.
      const move = moveAndRemove(
        suite.app,
        tenant.id,
        place,
        onStage((stage) => {
          if (stage !== 'Switching') return;
          writing.resolve();
          if (outcome === 'fails') throw new Error('The disk is full.');
        }),
      );
      if (outcome === 'fails') await expect(move).rejects.toThrow('The disk is full.');
      else await move;
      await first.catch(() => undefined);
      services.tenants.release(held);
      const headers = { ...tenant.owner.auth, 'idempotency-key': body.code };
      const again = () => suite.app.request({ method: 'POST', url: '/api/v1/tenant/products', headers, payload: body });
      const replays: unknown[] = [];
      for (const answer of [await again(), await again()]) {
        replays.push(answer.status, answer.headers['idempotency-replayed']);
      }
      expect(replays).toEqual([201, undefined, 201, 'true']);
    },
  );

  // Undoing a move does not depend on the platform's engine, except for the removal of the seal.
  const stages = ['Copying', 'Switching', ...(platform === 'sqlite' ? ['Preparing', 'Sealing', 'Completing'] : [])];
  test.for(stages)('a move that fails at the step %s leaves the tenant in place and writable', async (stage) => {
    const [before, place] = [await databaseOf(), await otherPlace()];
    const failing = onStage((started) => {
      if (started === stage) throw new Error('The disk is full.');
    });
    await expect(moveAndRemove(suite.app, tenant.id, place, failing)).rejects.toThrow('The disk is full.');
    expect(await databaseOf()).toBe(before);
    expect(await tracesOf(suite.app, tenant.id)).toEqual([]);
    await newProduct(tenant);
  });

  test('a write that runs when the pause begins is finished and copied', async () => {
    const { tenants } = suite.app.services;
    const written = Promise.withResolvers<void>();
    const row = { term: newId(), created_at: '2026-11-20T12:00:00.000000Z', owner_id: 'o' };
    const writing = tenants.withTenantDb(tenant.id, (db) =>
      db.transaction(async (tx) => {
        await tx.insertInto('search_terms').values(row).execute();
        await written.promise;
      }),
    );
    const stages: string[] = [];
    const progress = onStage((stage) => {
      stages.push(stage);
      if (stage === 'Pausing') written.resolve();
    });
    await moveAndRemove(suite.app, tenant.id, await otherPlace(), progress);
    await writing;
    expect(stages).toContain('Sealing');
    const found = await tenants.readTenantDb(tenant.id, (db) =>
      db.query.selectFrom('search_terms').select('term').where('term', '=', row.term).execute(),
    );
    expect(found).toHaveLength(1);
  });

  test.runIf(platform === 'postgres')(
    'a migration of any version that begins during the copy is done at once, and the move gives way without a change',
    async () => {
      const databases = openTenantDatabases(suite.app.config, { ...suite.app.services, tenantMigrations: next.tenant });
      const [before, place] = [await databaseOf(), await otherPlace()];
      const placement = await findTenantRecord(suite.app.services.platform, tenant.id);
      if (placement === undefined) throw new Error('The tenant does not exist.');
      let migration: Promise<unknown> | undefined;
      const migrating = onStage((stage) => {
        if (stage === 'Copying') migration = databases.migrate(placement);
      });
      await expect(moveAndRemove(suite.app, tenant.id, place, migrating)).rejects.toThrow('A migration of the tenant');
      expect(await migration).toMatchObject({ state: 'migrated' });
      expect(await databaseOf()).toBe(before);
      expect(await tracesOf(suite.app, tenant.id)).toEqual([]);
      await newProduct(tenant);
    },
  );
});
