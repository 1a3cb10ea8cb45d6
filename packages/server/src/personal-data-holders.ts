import { exportsPersonalData } from './features/accounts/account/exports-personal-data.ts';
import { mailPersonalData } from './features/accounts/account/mail-personal-data.ts';
import { apiKeysPersonalData } from './features/accounts/api-keys/personal-data.ts';
import {
  accountPersonalData,
  authenticationPersonalData,
  tokensPersonalData,
} from './features/accounts/identity/personal-data.ts';
import { invitationsPersonalData } from './features/accounts/invitations/personal-data.ts';
import { marketingPersonalData } from './features/accounts/marketing/personal-data.ts';
import { membershipsPersonalData } from './features/accounts/memberships/personal-data.ts';
import { checkoutsPersonalData } from './features/commerce/onboarding/personal-data.ts';
import { auditPersonalData, tenantAuditPersonalData } from './features/tenant-core/audit/personal-data.ts';
import { idempotencyPersonalData } from './features/tenant-core/idempotency/personal-data.ts';
import type { PersonalData, TenantPersonalData } from './features/tenant-core/personal-data/personal-data.ts';
import { settingsPersonalData } from './features/tenant-core/settings/personal-data.ts';

/** THE list of what the platform database holds on a person. The account itself goes last: the others refer to it. */
export const personalData: readonly PersonalData[] = [
  membershipsPersonalData,
  tokensPersonalData,
  authenticationPersonalData,
  checkoutsPersonalData,
  invitationsPersonalData,
  marketingPersonalData,
  apiKeysPersonalData,
  auditPersonalData,
  mailPersonalData,
  exportsPersonalData,
  accountPersonalData,
];

/** THE list of what a tenant's database holds on a person. Holders of licenses, and who its
 * invoices are made out to, are the tenant's own matter. */
export const tenantPersonalData: readonly TenantPersonalData[] = [
  tenantAuditPersonalData,
  settingsPersonalData,
  idempotencyPersonalData,
];
