import type { Timestamp } from '../../../lib/clock.ts';

/**
 * A key that signs offline certificates. One key is active; earlier keys stay until their certificates have expired.
 */
export interface SigningKeysTable {
  /** Thumbprint of the public key (RFC 7638). */
  kid: string;
  status: 'active' | 'retiring';
  public_jwk_json: string;
  /** Encrypted under the application key of `app_key_fingerprint`; null once the key is replaced. */
  sealed_private_jwk: string | null;
  app_key_fingerprint: string | null;
  /** The latest expiry of the certificates that this key signed. */
  certificates_expire_at: Timestamp;
  created_at: Timestamp;
  /** The time until which the public key is published; null while the key is active. */
  retires_at: Timestamp | null;
}
