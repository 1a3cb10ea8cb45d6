import { randomBytes } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Timestamp } from '../../../lib/clock.ts';

const secretBytes = 32;

/** The status of an API key or access token that callers see. */
export type CredentialStatus = 'active' | 'revoked' | 'expired';

/** Returns a new raw credential: the prefix and 32 random bytes in lower-case hex. */
export function newCredential(prefix: string): string {
  return prefix + randomBytes(secretBytes).toString('hex');
}

/** Returns the masked form of a credential, such as `vx_3f9a…c2d1`, by which people recognise it. */
export function hintOf(prefix: string, credential: string): string {
  return `${credential.slice(0, prefix.length + 4)}…${credential.slice(-4)}`;
}

/** Returns the status that callers see. `expired` is derived from `now`; a revoked credential stays `revoked`. */
export function credentialStatus(
  row: { readonly status: 'active' | 'revoked'; readonly expires_at: Timestamp | null },
  now: Timestamp,
): CredentialStatus {
  if (row.status === 'revoked') return 'revoked';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active';
}

/** Returns the condition that selects the credentials with a status that callers see. */
export function hasStatus(status: CredentialStatus, now: Timestamp): RawBuilder<SqlBool> {
  if (status === 'revoked') return sql<SqlBool>`status = ${'revoked'}`;
  if (status === 'expired') return sql<SqlBool>`status = ${'active'} and expires_at <= ${now}`;
  return sql<SqlBool>`status = ${'active'} and (expires_at is null or expires_at > ${now})`;
}
