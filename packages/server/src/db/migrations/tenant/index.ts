import type { Migrations } from '../../migrate.ts';
import { up as foundation } from './0001-foundation.ts';

/** The migrations of a tenant's database, in order. Their names are in its ledger: never rename one. */
export const tenantMigrations: Migrations = { '0001-foundation': { up: foundation } };
