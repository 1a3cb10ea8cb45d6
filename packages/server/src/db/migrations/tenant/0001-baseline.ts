import type { Kysely } from 'kysely';
import { createSearchTerms } from '../schema.ts';
import { createAdministrationTables } from './baseline/administration.ts';
import { createEntitlementTables } from './baseline/entitlements.ts';
import { createLicensingTables } from './baseline/licensing.ts';
import { createNotificationTables } from './baseline/notifications.ts';
import { createUsageTables } from './baseline/usage.ts';
import { createWebhookTables } from './baseline/webhooks.ts';

/** Creates every table of a tenant's database as of version 1.0.0. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await createAdministrationTables(db);
  await createLicensingTables(db);
  await createEntitlementTables(db);
  await createUsageTables(db);
  await createSearchTerms(db);
  await createNotificationTables(db);
  await createWebhookTables(db);
}
