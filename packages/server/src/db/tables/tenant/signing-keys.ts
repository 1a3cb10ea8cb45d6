import type { Timestamp } from '../../../lib/clock.ts';

/** Keys that sign offline certificates. One is active; those before it stay until what they signed has ended. */
export interface SigningKeysTable {
  /** Thumbprint of the public key (RFC 7638). */
  kid: string;
  status: 'active' | 'retiring';
  public_jwk_json: string;
  /** Encrypted under the application key of `app_key_fingerprint`; null once the key is replaced. */
  sealed_private_jwk: string | null;
  app_key_fingerprint: string | null;
  /** No certificate of this key ends later. */
  certificates_expire_at: Timestamp;
  created_at: Timestamp;
  /** Until when the public key is told; null while the key is active. */
  retires_at: Timestamp | null;
}
