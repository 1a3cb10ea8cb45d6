import type { Static } from 'typebox';
import type { TenantRole } from '../../../db/tables/platform/identity.ts';
import type { TenantAccessTokensTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { credentialStatus, hintOf, type LastUses, newCredential } from '../credentials/credential.ts';
import type { AccessToken } from './schemas.ts';

const prefix = 'service_';

/** A token with the role that its creator has in the tenant now; null if the creator can no longer use the tenant. */
export interface AccessTokenRow extends TenantAccessTokensTable {
  readonly creator_role: TenantRole | null;
  /** The present name of the creator; null if the creator is no longer a member. */
  readonly creator_name: string | null;
}

/** Returns a new raw token: `service_` and 32 random bytes in lower-case hex. It is shown once and never stored. */
export function generateAccessToken(): string {
  return newCredential(prefix);
}

/** Returns the masked form of a token, such as `service_3f9a…c2d1`, by which people recognise it. */
export function accessTokenHint(token: string): string {
  return hintOf(prefix, token);
}

/** Returns a token as callers see it at `now`, with the newest `last_used_at`. The raw token is never included, and the creator's name only if `named`. */
export function presentAccessToken(
  row: AccessTokenRow,
  now: Timestamp,
  usage: Pick<LastUses, 'newest'>,
  named = false,
): Static<typeof AccessToken> {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    status: credentialStatus(row, now),
    created_at: row.created_at,
    hint: row.hint,
    expires_at: row.expires_at,
    last_used_at: usage.newest(row.id, row.last_used_at),
    created_by: {
      type: 'user',
      id: row.created_by_id,
      role: row.creator_role,
      ...(named && { name: row.creator_name }),
    },
  };
}
