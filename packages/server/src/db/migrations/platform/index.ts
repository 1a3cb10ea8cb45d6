import type { Migrations } from '../migrate.ts';
import { up as baseline } from './0001-baseline.ts';

/** The migrations of the platform database, in order. Each database's ledger stores their names: never rename one. */
export const platformMigrations: Migrations = {
  '0001-baseline': { up: baseline },
};
