import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { componentsOf, FakeService, licenseKey } from '../../conformance/guard/fake-service.ts';
import { type LicenseGuardOptions, LicensingError, memoryStore, type Store } from '../../src/index.ts';
import { simulateDevice } from '../support/simulated-device.ts';

let { timers, service, store, newGuard } = simulateDevice();
beforeEach(() => {
  ({ timers, service, store, newGuard } = simulateDevice());
});

describe('start', () => {
  test.each<[string, string, () => Partial<LicenseGuardOptions>]>([
    ['without a key', 'LICENSE.KEY_MISSING', () => ({ licenseKey: '' })],
    [
      'without a fingerprint that can be read',
      'FINGERPRINT.UNAVAILABLE',
      () => ({ fingerprint: Promise.reject(new Error('no id')) }),
    ],
    ['with an empty key set', 'PROOF.KEY_UNKNOWN', () => ({ jwks: { keys: [] } })],
    [
      'with a client that fails',
      'GUARD.FAILED',
      () => ({
        client: Object.assign(new FakeService(timers.wallMs), { validate: () => Promise.reject(new TypeError('x')) }),
      }),
    ],
  ])('%s is unlicensed with %s, and never rejects', async (_when, reason, options) => {
    expect(await newGuard(options()).start()).toMatchObject({ status: 'unlicensed', reason, entitlements: [] });
  });

  test('sends the components with the fingerprint, and goes without them if they cannot be read', async () => {
    service.demandsComponents = true;
    const components = Promise.resolve(componentsOf('machine-1'));
    expect(await newGuard({ components }).start()).toMatchObject({ status: 'licensed', until: expect.any(Date) });
    service.demandsComponents = false;
    const unreadable = Promise.reject(new Error('no board'));
    expect(await newGuard({ components: unreadable }).start({ fresh: true })).toMatchObject({ status: 'licensed' });
  });

  test('with a store that fails is licensed, and reports the store', async () => {
    const fail = () => Promise.reject(new Error('no disk'));
    const guard = newGuard({ store: { read: fail, write: fail } });
    const errors: LicensingError[] = [];
    guard.on('error', (error) => errors.push(error));
    expect(await guard.start()).toMatchObject({ status: 'licensed' });
    const [error] = errors;
    expect(error).toMatchObject({ code: 'STORE.FAILED', message: 'no disk. Check the store.' });
    expect(error?.cause).toEqual(new Error('no disk'));
    service.code = 'LICENSE.REVOKED';
    await guard.refresh();
    service.callsLeft = 0;
    expect(await guard.refresh(), 'the refusal is not forgotten').toMatchObject({ reason: 'LICENSE.REVOKED' });
  });

  test('keeps a certificate of the second after the answer: the answer took time on its way', async () => {
    const answeredMs = Math.ceil(timers.realMs / 1000) * 1000 + 998;
    const late: FakeService = new FakeService(() => answeredMs + (late.calls.includes('issueCertificate') ? 5 : 0));
    expect(await newGuard({ client: late }).start()).toMatchObject({ status: 'licensed', until: expect.any(Date) });
    late.callsLeft = 0;
    expect(await newGuard({ client: late }).start()).toMatchObject({ status: 'offline' });
  });

  test('with a damaged store is licensed, and repairs it', async () => {
    await store.write('{"kind":"Licen');
    expect(await newGuard().start()).toMatchObject({ status: 'licensed' });
    service.callsLeft = 0;
    expect(await newGuard().start()).toMatchObject({ status: 'offline' });
  });

  test('does not overwrite the store of a recorder', async () => {
    const text = JSON.stringify({ kind: 'UsageRecorder', events: [] });
    await store.write(text);
    expect(await newGuard().start()).toMatchObject({ status: 'licensed' });
    expect(await store.read()).toBe(text);
  });

  test.each<[string, object]>([
    ['client', { client: undefined }],
    ['store', { store: {} }],
    ['licenseKey', { licenseKey: undefined }],
    ['issuer', { issuer: '' }],
    ['issuer', { issuer: undefined }],
    ['audience', { audience: undefined }],
    ['jwks', { jwks: {} }],
    ['jwks', { jwks: undefined }],
    ['jwks', { unsigned: true }],
    ['jwks', { jwks: undefined, unsigned: 'no' }],
    ['checkIntervalMs', { checkIntervalMs: 0 }],
    ['versionReleasedAt', { versionReleasedAt: 'yesterday' }],
  ])('is not reached with a wrong %s: the constructor throws', (name, options) => {
    expect(() => newGuard(options)).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION.INVALID', message: expect.stringContaining(name) }),
    );
  });

  test('with a certificate that has ended tells nobody that it is unlicensed before it has asked', async () => {
    await newGuard().start();
    timers.kill();
    await timers.advance(48 * 3_600_000);
    const guard = newGuard();
    const seen: string[] = [];
    guard.on('change', ({ status, reason }) => seen.push(`${status} ${reason}`));
    service.callsLeft = 0;
    await guard.start();
    service.callsLeft = null;
    await guard.refresh();
    const another = newGuard();
    another.on('change', ({ status }) => seen.push(status));
    timers.kill();
    await timers.advance(48 * 3_600_000);
    await another.start();
    expect(seen).toEqual(['unlicensed CERTIFICATE.EXPIRED', 'licensed LICENSE.VALID', 'licensed']);
  });

  test('before it, nothing is licensed and nothing is sent', () => {
    const guard = newGuard();
    expect(guard.state).toMatchObject({ status: 'unlicensed', reason: 'GUARD.NOT_STARTED', verdict: null });
    expect(guard.has('export')).toBe(false);
    expect(service.calls).toEqual([]);
  });
});

describe('checks', () => {
  test('the result of a check that ends while the start still reads the store is not replaced', async () => {
    const held = Array.from({ length: 4 }, () => Promise.withResolvers<string | null>());
    let reads = 0;
    const slow: Store = {
      // The start may begin a check of its own, whose reads end at once.
      read: () => held[reads++]?.promise ?? Promise.resolve(null),
      write: async () => undefined,
    };
    const untilReads = (count: number) => eventually(() => expect(reads).toBe(count));
    const guard = newGuard({ licenseKey: '', store: slow });
    const started = guard.start();
    await untilReads(1);
    const checked = guard.refresh();
    await untilReads(2);
    held[1]?.resolve(null);
    await untilReads(3);
    held[2]?.resolve(null);
    // The check has its result, and writes the store.
    await untilReads(4);
    held[0]?.resolve(null);
    await nextTurn();
    held[3]?.resolve(null);
    expect(await checked).toMatchObject({ reason: 'LICENSE.KEY_MISSING' });
    expect(await started).toMatchObject({ reason: 'LICENSE.KEY_MISSING' });
  });

  test('concurrent calls share one', async () => {
    const guard = newGuard();
    await guard.start();
    service.calls.length = 0;
    await Promise.all([guard.refresh(), guard.refresh(), guard.refresh()]);
    expect(service.calls).toEqual(['validate', 'issueCertificate']);
  });

  test('run in the background, with jitter, sooner after a failure, and renew the certificate before it ends', async () => {
    const guard = newGuard();
    await guard.start();
    service.calls.length = 0;
    await timers.advance(24 * 3_600_000);
    const checks = service.calls.filter((call) => call === 'validate').length;
    expect(checks).toBeGreaterThanOrEqual(21);
    expect(checks).toBeLessThanOrEqual(27);
    service.callsLeft = 0;
    await guard.refresh();
    service.calls.length = 0;
    await timers.advance(3_600_000);
    expect(service.calls.length).toBeGreaterThanOrEqual(4);
    service.callsLeft = null;
    service.ttlSeconds = 600;
    await guard.refresh();
    for (let minute = 0; minute < 60; minute += 1) {
      await timers.advance(60_000);
      expect(guard.state.until?.getTime()).toBeGreaterThan(timers.realMs);
    }
  });

  test('tell of a change once, and a listener that throws stops nothing', async () => {
    const guard = newGuard();
    const seen: string[] = [];
    guard.on('change', () => {
      throw new Error('a listener that fails');
    });
    const remove = guard.on('change', ({ status }) => seen.push(status));
    await guard.start();
    await guard.refresh();
    await guard.refresh();
    service.callsLeft = 0;
    await guard.refresh();
    await guard.refresh();
    service.callsLeft = null;
    await guard.refresh();
    expect(seen).toEqual(['licensed', 'offline', 'licensed']);
    remove();
    service.code = 'LICENSE.REVOKED';
    await guard.refresh();
    expect(seen).toHaveLength(3);
  });

  test('with a forged proof count as absent', async () => {
    const guard = newGuard();
    await guard.start();
    service.isForged = true;
    expect(await guard.refresh()).toMatchObject({ status: 'offline', reason: 'PROOF.SIGNATURE_INVALID' });
    expect(await newGuard({ store: memoryStore() }).start()).toMatchObject({ status: 'unlicensed' });
  });

  test('end with stop', async () => {
    const guard = newGuard();
    await guard.start();
    await guard.stop();
    service.calls.length = 0;
    await timers.advance(100 * 3_600_000);
    expect(service.calls).toEqual([]);
  });
});

describe('has', () => {
  test('accepts only signed answers', async () => {
    const { validate } = service;
    service.validate = async (...question) => {
      const verdict = await validate.apply(service, question);
      const [first] = verdict.entitlements;
      return first ? { ...verdict, entitlements: [first, { ...first, code: 'stolen' }] } : verdict;
    };
    const guard = newGuard();
    await guard.start();
    expect([guard.has('export'), guard.has('stolen')]).toEqual([true, false]);
  });

  test('follows the license: granted and withdrawn entitlements', async () => {
    const guard = newGuard();
    await guard.start();
    service.entitlements = ['print'];
    await guard.refresh();
    expect([guard.has('export'), guard.has('print')]).toEqual([false, true]);
    service.callsLeft = 0;
    await guard.refresh();
    expect([guard.has('export'), guard.has('print')]).toEqual([false, true]);
  });

  test('is false as soon as the certificate has ended, even before the timer', async () => {
    const guard = newGuard();
    await guard.start();
    service.callsLeft = 0;
    await guard.refresh();
    expect(guard.has('export')).toBe(true);
    timers.realMs += 2 * 86_400_000;
    expect(guard.has('export')).toBe(false);
  });
});

test('two processes share a store: a certificate that one discarded does not come back through the other', async () => {
  const one = newGuard();
  const other = newGuard();
  await one.start();
  await other.start();
  service.code = 'LICENSE.REVOKED';
  await one.refresh();
  service.callsLeft = 0;
  expect(await other.refresh()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.REVOKED' });
  expect(await newGuard().start()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.REVOKED' });
});

test('without jwks an outage ends the right to use the application after two intervals', async () => {
  const guard = newGuard({ jwks: undefined, unsigned: true });
  await guard.start();
  expect(guard.has('export')).toBe(true);
  service.callsLeft = 0;
  await timers.advance(90 * 60_000);
  expect(guard.state.status).toBe('offline');
  await timers.advance(60 * 60_000);
  expect(guard.state).toMatchObject({ status: 'unlicensed', reason: 'NETWORK.UNREACHABLE' });
});

describe('what a certificate says of its license', () => {
  const facts = {
    ...{ expiresAt: '2027-01-01T00:00:00.000000Z', maintenanceExpiresAt: '2026-06-01T00:00:00.000000Z' },
    holder: { name: 'Ada' },
  };

  test('is shown online, offline after a restart, and after the end of the certificate', async () => {
    Object.assign(service, { ...facts, seats: 3 });
    const license = { ...facts, maxActivations: 3 };
    expect(await newGuard().start()).toMatchObject({ status: 'licensed', license });
    timers.kill();
    service.callsLeft = 0;
    expect(await newGuard().start()).toMatchObject({ status: 'offline', license });
    timers.kill();
    await timers.advance(48 * 3_600_000);
    expect(await newGuard().start()).toMatchObject({ reason: 'CERTIFICATE.EXPIRED', license, entitlements: [] });
  });

  test('is what the verdict says without a certificate, and null before the first answer', async () => {
    const guard = newGuard({ jwks: undefined, unsigned: true });
    expect(guard.state.license).toBeNull();
    expect(await guard.start()).toMatchObject({ license: { holder: { name: 'Ada' }, expiresAt: null } });
  });

  test('is a change when the holder, an end or the seats change, and none when they stay', async () => {
    const guard = newGuard();
    const seen: unknown[] = [];
    await guard.start();
    guard.on('change', ({ license }) => seen.push(license));
    await guard.refresh();
    service.holderName = null;
    await guard.refresh();
    service.expiresAt = facts.expiresAt;
    await guard.refresh();
    const nobody = { holder: { name: null } };
    expect(seen).toMatchObject([nobody, { ...nobody, expiresAt: facts.expiresAt }]);
  });

  test('ends the use of a version that was released after the maintenance, without a network', async () => {
    service.maintenanceExpiresAt = facts.maintenanceExpiresAt;
    const released = (versionReleasedAt: string) => newGuard({ versionReleasedAt });
    expect(await released('2026-06-01T00:00:00Z').start()).toMatchObject({ status: 'licensed' });
    timers.kill();
    service.callsLeft = 0;
    expect(await released('2026-06-01T00:00:00Z').start()).toMatchObject({ status: 'offline' });
    timers.kill();
    const updated = await released('2026-06-02T00:00:00Z').start();
    expect(updated).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.MAINTENANCE_EXPIRED', entitlements: [] });
    expect(updated.license).toMatchObject({ maintenanceExpiresAt: facts.maintenanceExpiresAt });
    timers.kill();
    // The certificate is not lost: the user can go back to the version that it covers.
    expect(await released('2026-06-01T00:00:00Z').start()).toMatchObject({ status: 'offline' });
  });
});

describe('the devices of a license', () => {
  test('a machine without a seat sees who holds it, releases that device and is licensed', async () => {
    await service.activate(licenseKey, { fingerprint: 'machine-2' });
    const guard = newGuard();
    expect(await guard.start()).toMatchObject({ status: 'unlicensed', reason: 'ACTIVATION.LIMIT_REACHED' });
    const [other, ...rest] = await guard.devices();
    expect([other, rest]).toMatchObject([{ isThisDevice: false }, []]);
    expect(await guard.releaseDevice(other?.id ?? '')).toMatchObject({ status: 'licensed' });
    expect(service.holders).toEqual(['machine-1']);
    expect(await guard.devices()).toMatchObject([{ isThisDevice: true }]);
  });

  test('a check that runs during the release does not decide: the next one does', async () => {
    await service.activate(licenseKey, { fingerprint: 'machine-2' });
    const guard = newGuard();
    await guard.start();
    const [running, released] = [guard.refresh(), guard.releaseDevice('seat-of-machine-2')];
    await running;
    expect(await released).toMatchObject({ status: 'licensed' });
  });

  test('without a network and beyond the limit of releases, both reject and the state stays', async () => {
    await service.activate(licenseKey, { fingerprint: 'machine-2' });
    const guard = newGuard();
    const { reason } = await guard.start();
    const code = 'ACTIVATION.DEACTIVATION_LIMIT_REACHED';
    service.deactivate = () => Promise.reject(new LicensingError({ code, message: 'No more.', status: 422 }));
    await expect(guard.releaseDevice('seat-of-machine-2')).rejects.toMatchObject({ code });
    service.callsLeft = 0;
    await expect(guard.devices()).rejects.toMatchObject({ code: 'NETWORK.UNREACHABLE' });
    expect(guard.state.reason).toBe(reason);
  });
});
