import type { Migrations } from '../../migrate.ts';
import { up as foundation } from './0001-foundation.ts';

/** The migrations of the platform database, in order. Their names are in its ledger: never rename one. */
export const platformMigrations: Migrations = { '0001-foundation': { up: foundation } };
