import { createHmac } from 'node:crypto';
import { configurationError, LicensingError } from '../error.ts';
import { readMachineId } from './machine-id.ts';
import { defaultIdPath, readOrMakeId } from './stored-id.ts';
import { type System, thisSystem } from './system.ts';

/** What a fingerprint is made for. */
export interface FingerprintOptions {
  /** The product's code. Fingerprints of two products have nothing in common. */
  readonly product: string;
  /**
   * The file for the random id of a machine without an id of its own, such as a container. By default it is in the
   * user's state folder. In a container, put it on a volume, or each start is a new machine.
   */
  readonly path?: string;
  /** The operating system, for tests. */
  readonly system?: System;
}

/**
 * Returns the fingerprint of this machine for a product: 64 lower-case hex characters, an HMAC-SHA256 of the product
 * under the machine's id (machine-id, IOPlatformUUID or MachineGuid), so that it identifies nothing elsewhere. In a
 * container and without such an id, a stored random id takes its place. Rejects with `FINGERPRINT.UNAVAILABLE` if that
 * cannot be stored.
 */
export async function machineFingerprint(options: FingerprintOptions): Promise<string> {
  const { product, path, system = thisSystem } = options;
  if (typeof product !== 'string' || product === '')
    throw configurationError('`product` must be the code of a product.');
  const id = (await readMachineId(system)) ?? (await storedId(path ?? defaultIdPath(system)));
  return createHmac('sha256', id).update(`licensing-fingerprint-v1:${product}`).digest('hex');
}

async function storedId(path: string): Promise<string> {
  try {
    return await readOrMakeId(path);
  } catch (cause) {
    throw unavailable(path, cause);
  }
}

function unavailable(path: string, cause: unknown): LicensingError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message =
    `This machine has no id of its own, and ${path} cannot hold one: ${reason}. ` +
    'Set `path` to a writable file that persists.';
  return new LicensingError({ code: 'FINGERPRINT.UNAVAILABLE', message, cause });
}
