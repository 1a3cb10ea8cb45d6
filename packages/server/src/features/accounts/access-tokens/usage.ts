import type { Logger } from 'pino';
import type { PlatformDb } from '../../../db/database.ts';
import { LastUses } from '../credentials/last-uses.ts';
import { markAccessTokenUsed } from './queries.ts';

/** Creates the buffer of the `last_used_at` of access tokens. */
export function createAccessTokenUsage(platform: PlatformDb, logger: Logger): LastUses {
  return new LastUses({ platform, logger, credentials: 'access tokens', write: markAccessTokenUsed });
}
