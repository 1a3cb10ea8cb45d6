import type { SealedColumn } from './db/sealed.ts';
import type { PlatformTables } from './db/tables/platform-tables.ts';
import type { TenantTables } from './db/tables/tenant-tables.ts';
import { sealedExportParts } from './features/accounts/account/queries.ts';
import { sealedTwoFactorSecrets } from './features/accounts/identity/two-factor-queries.ts';
import { sealedUnsubscribeTokens } from './features/accounts/marketing/queries.ts';
import { sealedSignOnChecks } from './features/accounts/single-sign-on/queries.ts';
import { sealedDatabaseSecrets } from './features/accounts/tenants/queries.ts';
import { sealedPlacements } from './features/commerce/onboarding/queries.ts';
import { sealedMailServerPasswords } from './features/holders/holder-mails/queries.ts';
import { sealedStorageKeys } from './features/licensing/products/queries.ts';
import { sealedSigningKeys } from './features/licensing/signing-keys/queries.ts';
import { sealedConnectionSecrets } from './features/sales/connections/queries.ts';
import { sealedMessages } from './features/sales/messages/queries.ts';
import { sealedHolderMails } from './features/tenant-core/holder-mail-queue/queries.ts';
import { sealedWebhookColumns } from './features/webhooks/endpoints/queries.ts';
import { sealedMails } from './mail/queries.ts';

/** The columns with sealed values of each kind of database. */
export interface SealedColumns {
  readonly platform: readonly SealedColumn<PlatformTables>[];
  readonly tenant: readonly SealedColumn<TenantTables>[];
}

/** THE list of the columns that are encrypted under the application key. `licensing keys reseal` goes over all of them. */
export const sealedColumns: SealedColumns = {
  platform: [
    sealedDatabaseSecrets,
    sealedTwoFactorSecrets,
    ...sealedMails,
    sealedExportParts,
    sealedUnsubscribeTokens,
    sealedSignOnChecks,
    sealedPlacements,
  ],
  tenant: [
    sealedSigningKeys,
    sealedStorageKeys,
    ...sealedWebhookColumns,
    sealedHolderMails,
    sealedMailServerPasswords,
    ...sealedConnectionSecrets,
    sealedMessages,
  ],
};
