import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Keyring } from '../../../lib/keyring.ts';
import { memoizeText } from '../../../lib/memoize-text.ts';

/** Returns the private key of a sealed private JWK. Throws when no application key opens it. */
export type PrivateKeys = (sealedPrivateJwk: string) => KeyObject;

/**
 * Creates the memory of opened private keys: opening one costs several times as much as a signature. A key is found by
 * its sealed form, which the signer reads from the tenant's database each time, so that a replaced key signs nothing
 * more.
 */
export function createPrivateKeys(keyring: Pick<Keyring, 'open'>): PrivateKeys {
  return memoizeText((sealed) => createPrivateKey({ key: JSON.parse(keyring.open(sealed)), format: 'jwk' }));
}
