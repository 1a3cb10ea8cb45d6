import type { Kysely } from 'kysely';
import type { PlatformTables } from '../../tables/platform-tables.ts';
import { createSearchTerms } from '../schema.ts';
import { createAccountTables } from './baseline/account.ts';
import { createActivityTables } from './baseline/activity.ts';
import { createAdministrationTables } from './baseline/administration.ts';
import { createBackgroundTables } from './baseline/background.ts';
import { createBillingTables } from './baseline/billing.ts';
import { createCatalogTables } from './baseline/catalog.ts';
import { createCredentialTables } from './baseline/credentials.ts';
import { createMarketingTables } from './baseline/marketing.ts';
import { createOnboardingTables } from './baseline/onboarding.ts';
import { createPaymentTables } from './baseline/payments.ts';
import { createTenantTables } from './baseline/tenants.ts';

/** Creates every table of the platform database as of version 1.0.0, with the plan `free`. */
export async function up(db: Kysely<PlatformTables>): Promise<void> {
  // A table must exist before another one references it: plans, then tenants and users, then the rest.
  await createCatalogTables(db);
  await createTenantTables(db);
  await createCredentialTables(db);
  await createAccountTables(db);
  await createAdministrationTables(db);
  await createBackgroundTables(db);
  await createSearchTerms(db);
  await createMarketingTables(db);
  await createBillingTables(db);
  await createPaymentTables(db);
  await createOnboardingTables(db);
  await createActivityTables(db);
}
