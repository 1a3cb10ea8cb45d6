import type { Logger } from 'pino';
import type { PlatformDb } from '../../../db/database.ts';
import { LastUses } from '../credentials/last-uses.ts';
import { markApiKeyUsed } from './queries.ts';

/** Creates the buffer of the `last_used_at` of API keys. */
export function createApiKeyUsage(platform: PlatformDb, logger: Logger): LastUses {
  return new LastUses({ platform, logger, credentials: 'API keys', write: markApiKeyUsed });
}
