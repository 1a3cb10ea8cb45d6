import type { Timestamp } from '../../../lib/clock.ts';

/** The roles of an access token: those of members, except that only a person can own a tenant. */
export type AccessTokenRole = 'admin' | 'viewer';

/** An access token for automation, which belongs to a tenant. The token itself is not stored. */
export interface TenantAccessTokensTable {
  id: string;
  tenant_id: string;
  name: string;
  /** HMAC-SHA256 of the token under the application key, hex. */
  token_hash: string;
  /** The masked token, such as `service_3f9a…c2d1`: enough to recognise it, too little to use it. */
  hint: string;
  role: AccessTokenRole;
  status: 'active' | 'revoked';
  /** The user who created the token, who may have left the tenant or been erased since. */
  created_by_id: string;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}
