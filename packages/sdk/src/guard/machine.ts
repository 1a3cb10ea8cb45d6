import { LicensingError, wrapped } from '../error.ts';
import type { LicenseGuardOptions } from './options.ts';

/** What identifies this machine in a call. Empty without a fingerprint. */
export interface Machine {
  readonly fingerprint?: string;
  readonly components?: Readonly<Record<string, string>>;
}

/** Returns a function for what identifies this machine. It rejects with `FINGERPRINT.UNAVAILABLE`. */
export function machineOf({ fingerprint, components }: LicenseGuardOptions): () => Promise<Machine> {
  // Without components, the fingerprint still identifies this machine.
  const known = Promise.resolve(components).catch(() => undefined);
  const machine = Promise.resolve(fingerprint).then(async (text): Promise<Machine> => {
    const parts = await known;
    return text === undefined ? {} : { fingerprint: text, ...(parts && { components: parts }) };
  });
  // It may reject before the first check awaits it.
  machine.catch(() => undefined);
  return () =>
    machine.catch((cause) => {
      const { message } = wrapped('FINGERPRINT.UNAVAILABLE', cause, 'Pass another `fingerprint`.');
      throw new LicensingError({ code: 'FINGERPRINT.UNAVAILABLE', message, cause });
    });
}
