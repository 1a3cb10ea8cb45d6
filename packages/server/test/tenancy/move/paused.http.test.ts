import { beforeAll, describe, expect, test } from 'vitest';
import { TenantMovingError } from '../../../src/db/errors.ts';
import { purgeTenant } from '../../../src/features/accounts/tenants/archive-service.ts';
import { endAbandonedMoves, newMoveId } from '../../../src/features/accounts/tenants/move-end-service.ts';
import { moveTenant } from '../../../src/features/accounts/tenants/move-service.ts';
import { updateTenant } from '../../../src/features/accounts/tenants/service.ts';
import { toTimestamp } from '../../../src/lib/clock.ts';
import { newId } from '../../../src/lib/ids.ts';
import { silentProgress } from '../../../src/tenancy/archive/progress.ts';
import { systemActor } from '../../../src/tenancy/system-actor.ts';
import { jobRow, recordedJob, runnerOf, scheduleJob } from '../../jobs/job-rows.ts';
import { createTenant, type TestTenant, useTenant } from '../../support/accounts.ts';
import { engine } from '../../support/harness.ts';
import { createLicensingData, type LicensingData } from '../../support/licensing-data.ts';
import { exportFrom, importInto, useFolder } from '../archive/sites.ts';

const suite = useTenant();
const folder = useFolder();
let data: LicensingData;
let neighbour: TestTenant;
beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
  neighbour = await createTenant(suite.app, suite.admin, 'Neighbour');
});

/** As a mover in another process leaves the row, `ms` before or after the end of its lease. */
async function pauseFor(ms: number, id = suite.tenant.id): Promise<void> {
  const { platform, clock } = suite.app.services;
  const move = { move_id: newMoveId(), writes_paused_until: toTimestamp(clock.nowMs() + ms) };
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

  test('writing to it is answered 503 with a code of its own and the time to wait, through every surface', async () => {
    const { tenant } = suite;
    const answers = await Promise.all([
      tenant.asOwner('POST', '/products', { code: newId(), name: 'Late' }),
      tenant.asOwner('PUT', '/settings', { name: 'Late' }),
      tenant.asOwner('DELETE', `/licenses/${data.licenseId}`),
      tenant.asApplication(`/licenses/${data.licenseKey}/activations`, { fingerprint: 'late' }),
      tenant.asApplication(`/licenses/${data.licenseKey}/usage`, { events: [{ entitlement: data.code, quantity: 1 }] }),
      suite.app.request({
        method: 'POST',
        url: `/api/v1/admin/tenants/${tenant.id}/licenses`,
        headers: suite.admin.auth,
        payload: { policy_id: data.policyId },
      }),
    ]);
    for (const { status, body, headers } of answers) {
      expect({ status, code: body.error?.code, wait: headers['retry-after'] }).toEqual({
        status: 503,
        code: 'TENANT.MOVING',
        wait: '2',
      });
    }
  });

  test('reading it goes on: lists, verdicts, entitlements, certificates and public keys', async () => {
    const { tenant } = suite;
    const path = `/licenses/${data.licenseKey}`;
    const answers = await Promise.all([
      tenant.asOwner('GET', '/licenses'),
      tenant.asApplication(`${path}/validate`),
      tenant.asApplication(`${path}/entitlements/check`, {}),
      tenant.asApplication(`${path}/certificate`),
      suite.app.request({ method: 'GET', url: `/api/v1/tenants/${tenant.id}/jwks.json` }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers[1]?.body.data.valid).toBe(true);
  });

  test('other tenants notice nothing', async () => {
    const { status } = await neighbour.asOwner('POST', '/products', { code: newId(), name: 'Other' });
    expect(status).toBe(201);
  });

  test('its background work waits, and is not parked', async () => {
    const job = recordedJob();
    await scheduleJob(suite.app, suite.tenant.id, job.kind);
    await runnerOf(suite.app, [job]).runDue();
    expect(job.runs).toEqual([]);
    const { status, due_at } = await jobRow(suite.app, suite.tenant.id, job.kind);
    expect(status).toBe('waiting');
    expect(String(due_at) > suite.app.services.clock.now()).toBe(true);
  });

  test('nobody else moves, replaces or purges it', async () => {
    const file = folder.file();
    await exportFrom(suite.app, suite.tenant.id, file);
    await expect(moveTo('embedded')).rejects.toThrow(/is being moved|any number of nodes/);
    await expect(importInto(suite.app, file, true)).rejects.toThrow('is being moved by another command');
    const { id } = await createTenant(suite.app, suite.admin, 'Closed');
    await updateTenant(suite.app.services, systemActor, id, { status: 'closed' });
    await pauseFor(600_000, id);
    await expect(purgeTenant(suite.app.services, systemActor, id, { force: true })).rejects.toThrow('is being moved');
  });

  test('what is written behind waits for the end', async () => {
    const { tenants, licenseValidations, platform } = suite.app.services;
    const { tenant } = suite;
    await expect(tenants.withTenantDb(tenant.id, () => Promise.resolve())).rejects.toBeInstanceOf(TenantMovingError);
    await tenant.asApplication(`/licenses/${data.licenseKey}/validate`);
    await licenseValidations.flush();
    const validatedAt = () =>
      tenants.readTenantDb(tenant.id, (db) =>
        db.query.selectFrom('licenses').select('last_validated_at').where('id', '=', data.licenseId).executeTakeFirst(),
      );
    const before = await validatedAt();
    await endPause();
    await licenseValidations.flush();
    expect(String((await validatedAt())?.last_validated_at) > String(before?.last_validated_at ?? '')).toBe(true);
    const row = platform.query.selectFrom('tenants').select(['move_id', 'writes_paused_until']);
    expect(await row.where('id', '=', tenant.id).executeTakeFirst()).toEqual({
      move_id: null,
      writes_paused_until: null,
    });
  });
});

test('a mover that died holds nobody off when its lease is over', async () => {
  await pauseFor(-1);
  const { status } = await suite.tenant.asOwner('POST', '/products', { code: newId(), name: 'Later' });
  expect(status).toBe(201);
  await endPause();
});

describe('a move is refused', () => {
  test('to a place that is not configured', async () => {
    await expect(moveTo('db.example.com:5432')).rejects.toThrow('There is no place "db.example.com:5432"');
  });

  test('of a tenant that is not there', async () => {
    const { placement } = await suite.app.services.provisioning.steps.place(newId());
    await expect(moveTo(placement, newId())).rejects.toThrow('There is no such tenant');
  });

  test.runIf(engine === 'postgres')('into a file, where any number of nodes may serve', async () => {
    await expect(moveTo('embedded')).rejects.toThrow('A file can be opened by one machine only');
  });
});

test('a move to where the tenant is changes nothing', async () => {
  const { placement } = await suite.app.services.provisioning.steps.place(newId());
  expect(await moveTo(placement)).toBeUndefined();
});
