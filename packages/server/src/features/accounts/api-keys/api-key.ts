import type { Static } from 'typebox';
import type { ApiKeysTable } from '../../../db/tables/platform/tenants.ts';
import type { Scope } from '../../../http/routes/tenant-route.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { memoizeText } from '../../../lib/memoize.ts';
import { credentialStatus, hintOf, type LastUses, newCredential } from '../credentials/credential.ts';
import type { ApiKey } from './schemas.ts';

const prefix = 'vx_';
const keyPattern = /^vx_[0-9a-f]{64}$/;

/** Returns a new raw key: `vx_` and 32 random bytes in lower-case hex. The key is shown once and never stored. */
export function generateApiKey(): string {
  return newCredential(prefix);
}

/** Returns true if a text has the form of a key. All other texts are rejected without a database query. */
export function isApiKey(text: string): boolean {
  return keyPattern.test(text);
}

/** Returns the masked form of a key, such as `vx_3f9a…c2d1`, by which people recognise it. */
export function apiKeyHint(key: string): string {
  return hintOf(prefix, key);
}

/** Parses the `scopes_json` of a key. Memoized, because it runs on every request with an API key. */
export const parseScopes = memoizeText((text): readonly Scope[] => JSON.parse(text));

/** A key with the present name of its creator, if that is a member or an access token and was read. */
export interface ApiKeyRow extends ApiKeysTable {
  readonly creator_name?: string | null;
}

/** Returns the name of the creator as a field, if it was read. */
function creatorName({ creator_name: name }: ApiKeyRow): { readonly name?: string | null } {
  return name === undefined ? {} : { name };
}

/** Returns a key as callers see it at `now`, with the newest `last_used_at`. The raw key is never included. */
export function presentApiKey(row: ApiKeyRow, now: Timestamp, usage: Pick<LastUses, 'newest'>): Static<typeof ApiKey> {
  return {
    id: row.id,
    name: row.name,
    status: credentialStatus(row, now),
    created_at: row.created_at,
    hint: row.hint,
    expires_at: row.expires_at,
    last_used_at: usage.newest(row.id, row.last_used_at),
    scopes: [...parseScopes(row.scopes_json)],
    allowed_cidrs: JSON.parse(row.allowed_cidrs_json),
    rate_limit_per_minute: row.rate_limit_per_minute,
    rate_limit_per_address_per_minute: row.rate_limit_per_address_per_minute,
    created_by:
      row.created_by_type === 'system'
        ? null
        : { type: row.created_by_type, id: row.created_by_id, ...creatorName(row) },
  };
}
