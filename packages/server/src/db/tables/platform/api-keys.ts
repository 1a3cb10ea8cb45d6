import type { Timestamp } from '../../../lib/clock.ts';

export interface ApiKeysTable {
  id: string;
  tenant_id: string;
  name: string;
  key_hash: string;
  /** `vx_3f9a…c2d1`: enough to recognise a key, too little to use it. */
  hint: string;
  status: 'active' | 'revoked';
  scopes_json: string;
  allowed_cidrs_json: string;
  rate_limit_per_minute: number | null;
  /** `user`, `admin` or `system`, and the id; null for `system`. */
  created_by_type: 'user' | 'admin' | 'system';
  created_by_id: string | null;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}
