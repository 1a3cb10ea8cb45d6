import { accessTokensPersonalData } from './features/accounts/access-tokens/personal-data.ts';
import { exportsPersonalData, mailPersonalData } from './features/accounts/account/personal-data.ts';
import { apiKeysPersonalData } from './features/accounts/api-keys/personal-data.ts';
import {
  accountPersonalData,
  authenticationPersonalData,
  emailChangesPersonalData,
  tokensPersonalData,
} from './features/accounts/identity/personal-data.ts';
import { invitationsPersonalData } from './features/accounts/invitations/personal-data.ts';
import { marketingPersonalData } from './features/accounts/marketing/personal-data.ts';
import { membershipsPersonalData } from './features/accounts/memberships/personal-data.ts';
import { identitiesPersonalData } from './features/accounts/single-sign-on/personal-data.ts';
import { checkoutsPersonalData } from './features/commerce/onboarding/personal-data.ts';
import { auditPersonalData, tenantAuditPersonalData } from './features/tenant-core/audit/personal-data.ts';
import { idempotencyPersonalData, userKeysPersonalData } from './features/tenant-core/idempotency/personal-data.ts';
import type { PersonalDataHolders } from './features/tenant-core/personal-data/personal-data.ts';
import { settingsPersonalData } from './features/tenant-core/settings/personal-data.ts';

/**
 * THE list of the features that hold personal data. The platform's features erase in this order: the account is last,
 * because rows of the others refer to it. Holders of licenses and recipients of invoices are customers of the tenant,
 * which answers for their data itself.
 */
export const personalDataHolders: PersonalDataHolders = {
  platform: [
    membershipsPersonalData,
    tokensPersonalData,
    authenticationPersonalData,
    identitiesPersonalData,
    emailChangesPersonalData,
    checkoutsPersonalData,
    invitationsPersonalData,
    marketingPersonalData,
    apiKeysPersonalData,
    accessTokensPersonalData,
    auditPersonalData,
    mailPersonalData,
    exportsPersonalData,
    userKeysPersonalData,
    accountPersonalData,
  ],
  tenant: [tenantAuditPersonalData, settingsPersonalData, idempotencyPersonalData],
};
