import type { Migrations } from '../migrate.ts';
import { up as baseline } from './0001-baseline.ts';
import { up as apiKeyAddressLimit } from './0002-api-key-address-limit.ts';

/** The migrations of the platform database, in order. Each database's ledger stores their names: never rename one. */
export const platformMigrations: Migrations = {
  '0001-baseline': { up: baseline },
  '0002-api-key-address-limit': { up: apiKeyAddressLimit, servedFrom: '0001-baseline' },
};
