import { apiKeysPersonalData } from '../api-keys/personal-data.ts';
import { auditPersonalData, tenantAuditPersonalData } from '../audit/personal-data.ts';
import { idempotencyPersonalData } from '../idempotency/personal-data.ts';
import { accountPersonalData, authenticationPersonalData, tokensPersonalData } from '../identity/personal-data.ts';
import { invitationsPersonalData } from '../invitations/personal-data.ts';
import { marketingPersonalData } from '../marketing/personal-data.ts';
import { membershipsPersonalData } from '../members/personal-data.ts';
import { checkoutsPersonalData } from '../onboarding/personal-data.ts';
import { settingsPersonalData } from '../settings/personal-data.ts';
import { exportsPersonalData } from './exports-personal-data.ts';
import { mailPersonalData } from './mail-personal-data.ts';
import type { PersonalData, TenantPersonalData } from './personal-data.ts';

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
