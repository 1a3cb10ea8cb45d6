import { audience, FakeService, issuer, jwks, licenseKey } from '../../conformance/guard/fake-service.ts';
import { ManualTimers } from '../../conformance/guard/manual-timers.ts';
import { LicenseGuard, type LicenseGuardOptions, memoryStore, type Store } from '../../src/index.ts';

/** A device with its clock, its store and a service. */
export interface SimulatedDevice {
  readonly timers: ManualTimers;
  readonly service: FakeService;
  readonly store: Store;
  /** Creates a guard of the device, with the license key unless the options have another one. */
  newGuard(options?: Partial<LicenseGuardOptions>): LicenseGuard;
}

/** Creates a device that nothing is stored on. */
export function simulateDevice(): SimulatedDevice {
  const timers = new ManualTimers();
  const service = new FakeService(() => timers.realMs);
  const store = memoryStore();
  const newGuard = (options: Partial<LicenseGuardOptions> = {}) =>
    new LicenseGuard({
      ...{ client: service, licenseKey, store, jwks, issuer, audience, product: 'editor', fingerprint: 'machine-1' },
      ...{ timers, now: timers.wallMs, monotonicNow: timers.monotonicMs },
      ...options,
    });
  return { timers, service, store, newGuard };
}
