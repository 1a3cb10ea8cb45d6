import { randomBytes } from 'node:crypto';
import type { Keyring } from '../../../lib/keyring.ts';

const prefix = 'whsec_';
const secretBytes = 32;

/** Returns a new signing secret for a hand-made shop, as Standard Webhooks writes it: `whsec_` and base64. */
export function generateShopSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** Encrypts a secret or an API key; null stays null. */
export function sealOrNull(keyring: Keyring, text: string | null): string | null {
  return text === null ? null : keyring.seal(text);
}
