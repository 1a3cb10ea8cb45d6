import { beforeAll, describe, expect, test } from 'vitest';
import { endAbandonedMoves } from '../../../src/features/accounts/tenants/move-claim-service.ts';
import { moveTenant, removeFormer } from '../../../src/features/accounts/tenants/move-service.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { runTenantJobs } from '../../jobs/job-rows.ts';
import { createAdmin, createTenant, type TestTenant } from '../../support/accounts.ts';
import { useClock } from '../../support/harness.ts';
import { created, newLicense } from '../../support/licensing-catalog.ts';
import { useOtherApp } from '../archive/sites.ts';
import { firstServer, moveAndRemove, onServers, onStage, placeOf, secondServer } from './places.ts';

const clock = useClock();

describe.for(['sqlite', 'postgres'] as const)('with the platform on %s', (platform) => {
  const suite = useOtherApp(platform, onServers);
  const places = platform === 'sqlite' ? ['embedded', secondServer] : [firstServer, secondServer];
  let tenant: TestTenant;
  let key: string;
  beforeAll(async () => {
    tenant = await createTenant(suite.app, await createAdmin(suite.app));
    ({ key } = await newLicense(tenant, { lease_seconds: 5, require_activation: true }));
  });

  const otherPlace = async () => {
    const here = await placeOf(suite.app, tenant.id);
    return places.find((place) => place !== here) ?? '';
  };
  const activate = async (fingerprint: string) =>
    created(await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint }));
  const verdict = async (fingerprint: string) =>
    (await tenant.asApplication(`/licenses/${key}/validate`, { fingerprint })).body.data.code;
  const heartbeat = async (id: string) => {
    const { status, body } = await tenant.asApplication(`/licenses/${key}/activations/${id}/heartbeat`);
    return body.error?.code ?? status;
  };

  test('a lease that runs when a move pauses the tenant does not end during the pause, and can be renewed after it', async () => {
    const gone = await activate('gone');
    clock.advance(5_001);
    const { id } = await activate('device');
    const during: unknown[] = [];
    const progress = onStage((stage) => {
      // Not at the switch, which requests could reach too late.
      if (stage !== 'Copying') return;
      clock.advance(20_000);
      during.push(heartbeat(id), verdict('device'), verdict('gone'));
    });
    const { services } = suite.app;
    const moved = await moveTenant(services, systemActor, tenant.id, await otherPlace(), { progress });
    // A command waits at least two seconds before it removes the former database; requests of the pause end in that time.
    expect(await Promise.all(during)).toEqual(['TENANT.MOVING', 'LICENSE.VALID', 'ACTIVATION.LEASE_EXPIRED']);
    if (moved === undefined) throw new Error('The tenant was not moved.');
    await removeFormer(services, moved.former, 0);
    await runTenantJobs(suite.app);
    expect(await verdict('device')).toBe('LICENSE.VALID');
    expect(await heartbeat(id)).toBe(200);
    expect(await heartbeat(gone.id)).toBe('ACTIVATION.NOT_FOUND');
    clock.advance(5_001);
    expect(await verdict('device')).toBe('ACTIVATION.LEASE_EXPIRED');
  });

  test('a lease outlives a move that fails, and one whose command dies until its end is swept up', async () => {
    const { id } = await activate('device');
    const failing = onStage((stage) => {
      if (stage !== 'Switching') return;
      clock.advance(20_000);
      throw new Error('The disk is full.');
    });
    await expect(moveAndRemove(suite.app, tenant.id, await otherPlace(), failing)).rejects.toThrow('The disk is full.');
    clock.advance(70_000);
    await endAbandonedMoves(suite.app.services);
    await runTenantJobs(suite.app);
    expect(await verdict('device')).toBe('LICENSE.VALID');
    expect(await heartbeat(id)).toBe(200);
  });
});
