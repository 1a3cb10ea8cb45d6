/**
 * Changes no table. A database with this migration has a signing key: the key is encrypted under the application key,
 * which migrations do not know, so `SeedTenant` inserts it in the transaction of the migrations.
 */
export async function up(): Promise<void> {}
