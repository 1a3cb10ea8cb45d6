import type { TenantTransaction } from '../db/database.ts';

/**
 * Inserts the rows that every tenant's database contains, where they are missing. It runs in the transaction that
 * creates or migrates the schema, whoever creates or migrates it. Idempotent.
 */
export type SeedTenant = (tx: TenantTransaction) => Promise<void>;
