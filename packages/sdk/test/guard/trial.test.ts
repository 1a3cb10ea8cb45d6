import { beforeEach, describe, expect, test } from 'vitest';
import { FakeService, licenseKey, trialKey } from '../../conformance/guard/fake-service.ts';
import type { LicenseGuardOptions } from '../../src/index.ts';
import { simulateDevice } from '../support/simulated-device.ts';

let { timers, service, store, newGuard: guardWithKey } = simulateDevice();
beforeEach(() => {
  ({ timers, service, store, newGuard: guardWithKey } = simulateDevice());
});

const newGuard = (options: Partial<LicenseGuardOptions> = {}) => guardWithKey({ licenseKey: '', ...options });

describe('a guard without a key', () => {
  test('starts the trial of its machine, and the next one continues offline with the key in the store', async () => {
    const guard = newGuard();
    expect(await guard.start()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.KEY_MISSING' });
    expect(await guard.startTrial({ email: 'ada@example.com', name: 'Ada' })).toMatchObject({ status: 'started' });
    expect(guard.state).toMatchObject({ status: 'licensed' });
    await guard.stop();
    service.callsLeft = 0;
    expect(await newGuard().start()).toMatchObject({ status: 'offline' });
  });

  test('starts the trial with the code from the mail, and stays without a license for a wrong one', async () => {
    service.requiresEmail = true;
    const guard = newGuard();
    await guard.start();
    expect(await guard.startTrial({ email: 'ada@example.com' })).toMatchObject({ status: 'confirmation_required' });
    expect(guard.state).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.KEY_MISSING' });
    await expect(guard.confirmTrial('WRONG')).rejects.toMatchObject({ code: 'TRIAL.CODE_INVALID' });
    expect(await guard.confirmTrial('CODE')).toMatchObject({ status: 'licensed' });
  });

  test('continues with a bought key in the same store, and keeps the trial if the key is refused', async () => {
    const guard = newGuard();
    await guard.start();
    await guard.startTrial();
    service.code = 'LICENSE.NOT_FOUND';
    await expect(guard.activate('MISTYPED')).rejects.toMatchObject({ code: 'LICENSE.NOT_FOUND' });
    expect(guard.state).toMatchObject({ status: 'licensed' });
    expect(await store.read()).toContain(trialKey);
    service.code = 'LICENSE.VALID';
    expect(await guard.activate(licenseKey)).toMatchObject({ status: 'licensed' });
    const kept = await store.read();
    expect([kept?.includes(licenseKey), kept?.includes(trialKey)]).toEqual([true, false]);
    service.callsLeft = 0;
    expect(await newGuard().start()).toMatchObject({ status: 'offline' });
  });

  test('rejects without a product, and without a client that has trials', async () => {
    await expect(newGuard({ product: undefined }).startTrial()).rejects.toMatchObject({
      code: 'CONFIGURATION.INVALID',
    });
    const client = Object.assign(new FakeService(timers.wallMs), { startTrial: undefined });
    await expect(newGuard({ client }).startTrial()).rejects.toMatchObject({ code: 'CONFIGURATION.INVALID' });
  });

  test('leaves the key of the application out of the store', async () => {
    await newGuard({ licenseKey }).start();
    expect(await store.read()).not.toContain(licenseKey);
  });
});

test('a release that is too new is refused offline too, and an older one continues with the certificate', async () => {
  const [older, newer] = ['2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z'];
  const of = (versionReleasedAt: string) => newGuard({ licenseKey, versionReleasedAt });
  await of(older).start();
  service.code = 'LICENSE.MAINTENANCE_EXPIRED';
  const refused = { status: 'unlicensed', reason: 'LICENSE.MAINTENANCE_EXPIRED' };
  expect(await of(newer).start({ fresh: true })).toMatchObject(refused);
  service.callsLeft = 0;
  expect(await of(newer).start()).toMatchObject(refused);
  expect(await of(older).start()).toMatchObject({ status: 'offline' });
});
