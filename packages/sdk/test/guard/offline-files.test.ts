import { beforeEach, describe, expect, test } from 'vitest';
import { licenseKey } from '../../conformance/guard/fake-service.ts';
import type { LicensingError } from '../../src/index.ts';
import { simulateDevice } from '../support/simulated-device.ts';

let { timers, service, newGuard } = simulateDevice();
beforeEach(() => {
  ({ timers, service, newGuard } = simulateDevice());
});

describe('without a network', () => {
  const certificateFile = async (changes: object = {}, fingerprint = 'machine-1') => {
    if (!service.holders.includes(fingerprint)) await service.activate(licenseKey, { fingerprint });
    const { certificate, expiresAt } = await service.issueCertificate(licenseKey, { fingerprint });
    const content = { product: 'editor', license_key: licenseKey, certificate, expires_at: expiresAt };
    return JSON.stringify({ format: 'licensing-offline-certificate-v1', ...content, ...changes });
  };
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      ({ code }: LicensingError) => code,
    );

  test('a request file names the product and the machine, and the certificate file makes the guard work offline', async () => {
    const file = await certificateFile({ license_key: licenseKey.toLowerCase().replaceAll('-', ' ') });
    service.callsLeft = 0;
    const guard = newGuard({ deviceName: 'Lab' });
    expect(await guard.start()).toMatchObject({ status: 'unlicensed', reason: 'NETWORK.UNREACHABLE' });
    const request = JSON.parse(await guard.requestFile());
    expect(request).toMatchObject({ product: 'editor', fingerprint: 'machine-1', name: 'Lab' });
    expect(await guard.importCertificate(file)).toMatchObject({ status: 'offline' });
    expect(guard.has('export')).toBe(true);
    await guard.stop();
    expect(await newGuard().start(), 'the store keeps it').toMatchObject({ status: 'offline' });
  });

  test('a file of another kind, license or machine is refused, and changes nothing', async () => {
    const other = await certificateFile({ license_key: 'OTHER-KEY' });
    service.seats = 2;
    const elsewhere = await certificateFile({}, 'machine-2');
    service.callsLeft = 0;
    const guard = newGuard();
    await guard.start();
    expect(await codeOf(guard.importCertificate(await guard.requestFile()))).toBe('CERTIFICATE_FILE.INVALID');
    expect(await codeOf(guard.importCertificate(other))).toBe('CERTIFICATE_FILE.OTHER_LICENSE');
    expect(await codeOf(guard.importCertificate(elsewhere))).toBe('CERTIFICATE.FINGERPRINT_MISMATCH');
    expect(guard.state).toMatchObject({ status: 'unlicensed' });
    expect(await codeOf(newGuard({ product: undefined }).requestFile())).toBe('CONFIGURATION.INVALID');
  });

  test('a certificate from before a refusal does not undo it, and a later one does', async () => {
    const former = await certificateFile();
    await timers.advance(60_000);
    service.code = 'LICENSE.EXPIRED';
    const guard = newGuard();
    expect(await guard.start()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.EXPIRED' });
    await guard.stop();
    expect(await codeOf(guard.importCertificate(former))).toBe('CERTIFICATE_FILE.TOO_OLD');
    await timers.advance(60_000);
    service.code = 'LICENSE.VALID';
    expect(await guard.importCertificate(await certificateFile())).toMatchObject({ status: 'offline' });
  });
});
