import { next } from './versions.ts';

/** The tenant migrations that a migration thread of the next version imports. */
export const tenantMigrations = next.tenant;
