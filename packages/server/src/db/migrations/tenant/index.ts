import type { Migrations } from '../../migrate.ts';
import { up as foundation } from './0001-foundation.ts';
import { up as signingKeys } from './0002-signing-keys.ts';
import { up as idempotencyKeys } from './0003-idempotency-keys.ts';
import { up as settings } from './0004-settings.ts';

/** The migrations of a tenant's database, in order. Their names are in its ledger: never rename one. */
export const tenantMigrations: Migrations = {
  '0001-foundation': { up: foundation },
  '0002-signing-keys': { up: signingKeys },
  '0003-idempotency-keys': { up: idempotencyKeys },
  '0004-settings': { up: settings },
};
