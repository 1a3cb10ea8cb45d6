import { next } from './versions.ts';

/** What a thread of the next version migrates with. */
export const tenantMigrations = next.tenant;
