import type { Timestamp } from '../../../lib/clock.ts';

/** An API key of a tenant. The key itself is not stored. */
export interface ApiKeysTable {
  id: string;
  tenant_id: string;
  name: string;
  /** HMAC-SHA256 of the key under the application key, hex. */
  key_hash: string;
  /** The masked key, such as `vx_3f9a…c2d1`: enough to recognise it, too little to use it. */
  hint: string;
  status: 'active' | 'revoked';
  scopes_json: string;
  allowed_cidrs_json: string;
  rate_limit_per_minute: number | null;
  rate_limit_per_address_per_minute: number | null;
  /** Who created the key. `created_by_id` is null for `system`. */
  created_by_type: 'user' | 'admin' | 'system';
  created_by_id: string | null;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}
