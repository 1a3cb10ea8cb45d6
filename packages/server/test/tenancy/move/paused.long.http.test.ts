import { beforeAll, describe, expect, test } from 'vitest';
import { TenantMovingError } from '../../../src/db/errors.ts';
import { purgeTenant } from '../../../src/features/accounts/tenants/archive-service.ts';
import { endAbandonedMoves, newMoveId } from '../../../src/features/accounts/tenants/move-claim-service.ts';
import { moveTenant } from '../../../src/features/accounts/tenants/move-service.ts';
import { updateTenant } from '../../../src/features/accounts/tenants/service.ts';
import { toTimestamp } from '../../../src/lib/clock.ts';
import { newId } from '../../../src/lib/ids.ts';
import { silentProgress } from '../../../src/tenancy/archive/progress.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { askPortal, logInHolder, openPortal } from '../../holders/portal-data.ts';
import { jobRow, recordedJob, runnerOf, scheduleJob } from '../../jobs/job-rows.ts';
import { createTenant, type TestTenant, useTenant } from '../../support/accounts.ts';
import { engine } from '../../support/harness.ts';
import { createLicensingData, type LicensingData } from '../../support/licensing-data.ts';
import { exportFrom, importInto, useFolder } from '../archive/sites.ts';

const suite = useTenant();
const folder = useFolder();
let data: LicensingData;
let neighbour: TestTenant;
let portal: { readonly handle: string; readonly token: string };
beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
  await suite.tenant.asOwner('PUT', `/licenses/${data.licenseId}`, { holder: { email: 'holder@example.com' } });
  const handle = await openPortal(suite.tenant);
  portal = { handle, token: await logInHolder(suite.app, suite.tenant, handle, data.licenseId) };
  neighbour = await createTenant(suite.app, suite.admin, 'Neighbour');
});

/** Sets the tenant's row as a move by another process does; the lease ends in `ms`, or ended when `ms` is negative. */
async function pauseFor(ms: number, id = suite.tenant.id): Promise<void> {
  const { platform, clock } = suite.app.services;
  const move = { move_id: newMoveId(clock.nowMs()), writes_paused_until: toTimestamp(clock.nowMs() + ms) };
  await platform.query.updateTable('tenants').set(move).where('id', '=', id).execute();
}

async function endPause(): Promise<void> {
  await pauseFor(-1);
  await endAbandonedMoves(suite.app.services);
}

const moveTo = (place: string, id = suite.tenant.id) =>
  moveTenant(suite.app.services, systemActor, id, place, { progress: silentProgress });

describe('while a tenant is being moved', () => {
  beforeAll(() => pauseFor(600_000));

  test('on every surface a write to a tenant that is being moved gets 503 TENANT.MOVING with Retry-After', async () => {
    const { tenant } = suite;
    const responses = await Promise.all([
      tenant.asOwner('POST', '/products', { code: newId(), name: 'Late' }),
      tenant.asOwner('PUT', '/settings', { name: 'Late' }),
      tenant.asOwner('DELETE', `/licenses/${data.licenseId}`),
      tenant.asApplication(`/licenses/${data.licenseKey}/activations`, { fingerprint: 'late' }),
      tenant.asApplication(`/licenses/${data.licenseKey}/usage`, { events: [{ entitlement: data.code, quantity: 1 }] }),
      suite.asAdmin('POST', `/tenants/${tenant.id}/licenses`, { policy_id: data.policyId }),
    ]);
    for (const { status, body, headers } of responses) {
      expect({ status, code: body.error?.code, wait: headers['retry-after'] }).toEqual({
        status: 503,
        code: 'TENANT.MOVING',
        wait: '2',
      });
    }
  });

  test('a holder who is logged in reads the portal during a move, and each write there is refused until it ends', async () => {
    const ask = (method: 'GET' | 'POST', path: string, token?: string, payload?: object) =>
      askPortal(suite.app, portal.handle, method, path, { token, ...(payload && { payload }) });
    const read = await ask('GET', '/licenses', portal.token);
    expect([read.status, read.body.data.length]).toEqual([200, 1]);
    const writes = await Promise.all([
      ask('POST', `/licenses/${data.licenseId}/devices/${newId()}/release`, portal.token, {}),
      ask('POST', '/login', undefined, { email: 'holder@example.com' }),
    ]);
    for (const { status, body, headers } of writes) {
      expect([status, body.error?.code, headers['retry-after']]).toEqual([503, 'TENANT.MOVING', '2']);
    }
  });

  test('lists, verdicts, entitlements, certificates and public keys can be read during a move', async () => {
    const { tenant } = suite;
    const path = `/licenses/${data.licenseKey}`;
    const responses = await Promise.all([
      tenant.asOwner('GET', '/licenses'),
      tenant.asApplication(`${path}/validate`),
      tenant.asApplication(`${path}/entitlements/check`, {}),
      tenant.asApplication(`${path}/certificate`),
      suite.app.request({ method: 'GET', url: `/api/v1/tenants/${tenant.id}/jwks.json` }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(responses[1]?.body.data.valid).toBe(true);
  });

  test('other tenants accept writes during a move', async () => {
    const { status } = await neighbour.asOwner('POST', '/products', { code: newId(), name: 'Other' });
    expect(status).toBe(201);
  });

  test('the jobs of a tenant that is being moved wait and are not parked', async () => {
    const job = recordedJob();
    await scheduleJob(suite.app, suite.tenant.id, job.kind);
    await runnerOf(suite.app, [job]).runDue();
    expect(job.runs).toEqual([]);
    const { status, due_at } = await jobRow(suite.app, suite.tenant.id, job.kind);
    expect(status).toBe('waiting');
    expect(String(due_at) > suite.app.services.clock.now()).toBe(true);
  });

  test('a tenant that is being moved cannot be moved, replaced or purged by another command', async () => {
    const file = folder.file();
    await exportFrom(suite.app, suite.tenant.id, file);
    await expect(moveTo('embedded')).rejects.toThrow(/is being moved|several nodes may serve/);
    await expect(importInto(suite.app, file, true)).rejects.toThrow('is being moved by another command');
    const { id } = await createTenant(suite.app, suite.admin, 'Closed');
    await updateTenant(suite.app.services, systemActor, id, { status: 'closed' });
    await pauseFor(600_000, id);
    await expect(purgeTenant(suite.app.services, systemActor, id, { force: true })).rejects.toThrow('is being moved');
  });

  test('buffered writes to a tenant that is being moved are kept until the move ends', async () => {
    const { tenants, validationTimes, platform } = suite.app.services;
    const { tenant } = suite;
    await expect(tenants.withTenantDb(tenant.id, () => Promise.resolve())).rejects.toBeInstanceOf(TenantMovingError);
    await tenant.asApplication(`/licenses/${data.licenseKey}/validate`);
    await validationTimes.flush();
    const validatedAt = () =>
      tenants.readTenantDb(tenant.id, (db) =>
        db.query.selectFrom('licenses').select('last_validated_at').where('id', '=', data.licenseId).executeTakeFirst(),
      );
    const before = await validatedAt();
    await endPause();
    await validationTimes.flush();
    expect(String((await validatedAt())?.last_validated_at) > String(before?.last_validated_at ?? '')).toBe(true);
    const row = platform.query.selectFrom('tenants').select(['move_id', 'writes_paused_until']);
    expect(await row.where('id', '=', tenant.id).executeTakeFirst()).toEqual({
      move_id: null,
      writes_paused_until: null,
    });
  });
});

test('writes succeed again when the lease of an interrupted move has ended', async () => {
  await pauseFor(-1);
  const { status } = await suite.tenant.asOwner('POST', '/products', { code: newId(), name: 'Later' });
  expect(status).toBe(201);
  await endPause();
});

describe('rejected moves', () => {
  test('a move to a place that is not configured is rejected', async () => {
    await expect(moveTo('db.example.com:5432')).rejects.toThrow('There is no place "db.example.com:5432"');
  });

  test('a move of a tenant that does not exist is rejected', async () => {
    const { placement } = await suite.app.services.provisioning.steps.place(newId());
    await expect(moveTo(placement, newId())).rejects.toThrow('There is no such tenant');
  });

  test.runIf(engine === 'postgres')(
    'a move into a file is rejected when several nodes may serve the platform',
    async () => {
      await expect(moveTo('embedded')).rejects.toThrow('A file can be opened by one machine only');
    },
  );
});

test("a move to the tenant's current place changes nothing", async () => {
  const { placement } = await suite.app.services.provisioning.steps.place(newId());
  expect(await moveTo(placement)).toBeUndefined();
});
