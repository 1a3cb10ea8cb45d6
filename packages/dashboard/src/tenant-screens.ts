import type { AnyRoute } from '@tanstack/react-router';
import { activationsSearch } from './features/activations/search.ts';
import { auditSearch } from './features/audit/search.ts';
import { bulkOperationsSearch } from './features/bulk-operations/search.ts';
import {
  connectionSearch,
  connectionsSearch,
  newConnectionSearch,
  setupSearch,
} from './features/connections/search.ts';
import { accessTokenSearch, apiKeySearch } from './features/credentials/search.ts';
import { customerSearch, customersSearch } from './features/customers/search.ts';
import { entitlementSearch } from './features/entitlements/search.ts';
import { holderMailsSearch, mailTemplateSearch } from './features/holder-mails/mail-types.ts';
import { batchesSearch } from './features/license-batches/search.ts';
import { importSearch, licenseSearch } from './features/licenses/search.ts';
import { membersSearch } from './features/members/search.ts';
import { notificationSearch } from './features/notifications/search.ts';
import { overviewSearch } from './features/overview/search.ts';
import { policySearch } from './features/policies/search.ts';
import { productDetailSearch, productSearch } from './features/products/search.ts';
import { releaseDetailSearch, releaseSearch } from './features/releases/search.ts';
import { usageSearch } from './features/usage/search.ts';
import { webhookSearch, webhooksSearch } from './features/webhooks/search.ts';
import { screensOf } from './screen-route.ts';

/** Returns the routes of a tenant's screens, which its users have and, below the tenant's page, admins. */
export function tenantScreens<Parent extends AnyRoute>(getParentRoute: () => Parent) {
  const screen = screensOf(getParentRoute);
  return [
    screen('/access-tokens', accessTokenSearch, () => import('./features/credentials/AccessTokensScreen.tsx')),
    screen('/activations', activationsSearch, () => import('./features/activations/ActivationsScreen.tsx')),
    screen('/api-keys', apiKeySearch, () => import('./features/credentials/ApiKeysScreen.tsx')),
    screen('/audit-logs', auditSearch, async () => ({
      default: (await import('./features/audit/AuditScreens.tsx')).AuditLogScreen,
    })),
    screen('/batches/$batchId', undefined, () => import('./features/license-batches/BatchScreen.tsx')),
    screen('/batches', batchesSearch, () => import('./features/license-batches/BatchesScreen.tsx')),
    screen(
      '/bulk-operations/$operationId',
      undefined,
      () => import('./features/bulk-operations/BulkOperationScreen.tsx'),
    ),
    screen(
      '/bulk-operations',
      bulkOperationsSearch,
      () => import('./features/bulk-operations/BulkOperationsScreen.tsx'),
    ),
    screen('/connections/$connectionId', connectionSearch, () => import('./features/connections/ConnectionScreen.tsx')),
    screen('/connections/$connectionId/setup', setupSearch, () => import('./features/connections/SetupScreen.tsx')),
    screen('/connections', connectionsSearch, () => import('./features/connections/ConnectionsScreen.tsx')),
    screen('/connections/new', newConnectionSearch, () => import('./features/connections/NewConnectionScreen.tsx')),
    screen('/customers/$email', customerSearch, () => import('./features/customers/CustomerScreen.tsx')),
    screen('/customers', customersSearch, () => import('./features/customers/CustomersScreen.tsx')),
    screen('/developers', undefined, () => import('./features/developers/DevelopersScreen.tsx')),
    screen('/entitlements', entitlementSearch, () => import('./features/entitlements/EntitlementsScreen.tsx')),
    screen('/holder-mails', holderMailsSearch, () => import('./features/holder-mails/HolderMailsScreen.tsx')),
    screen('/licenses/$licenseId', licenseSearch, () => import('./features/licenses/LicenseScreen.tsx')),
    screen('/licenses/import', importSearch, () => import('./features/licenses/ImportScreen.tsx')),
    screen('/members', membersSearch, () => import('./features/members/MembersScreen.tsx')),
    screen('/notifications', notificationSearch, () => import('./features/notifications/NotificationsScreen.tsx')),
    screen('/overview', overviewSearch, () => import('./features/overview/OverviewScreen.tsx')),
    screen('/policies/$policyId', undefined, () => import('./features/policies/PolicyScreen.tsx')),
    screen('/policies', policySearch, () => import('./features/policies/PoliciesScreen.tsx')),
    screen('/portal-settings', undefined, () => import('./features/portal/PortalScreen.tsx')),
    screen('/products/$productId', productDetailSearch, () => import('./features/products/ProductScreen.tsx')),
    screen(
      '/products/$productId/releases/$releaseId',
      releaseDetailSearch,
      () => import('./features/releases/ReleaseScreen.tsx'),
    ),
    screen('/products/$productId/releases', releaseSearch, () => import('./features/releases/ReleasesScreen.tsx')),
    screen('/products', productSearch, () => import('./features/products/ProductsScreen.tsx')),
    screen('/settings', undefined, () => import('./features/settings/SettingsScreen.tsx')),
    screen('/settings/mails/$type', mailTemplateSearch, () => import('./features/holder-mails/MailTemplateScreen.tsx')),
    screen('/settings/mails', undefined, () => import('./features/holder-mails/MailSettingsScreen.tsx')),
    screen('/usage', usageSearch, () => import('./features/usage/UsageScreen.tsx')),
    screen('/webhook-deliveries/$deliveryId', undefined, () => import('./features/webhooks/DeliveryScreen.tsx')),
    screen('/webhook-endpoints/$webhookId', webhookSearch, () => import('./features/webhooks/WebhookScreen.tsx')),
    screen('/webhook-endpoints', webhooksSearch, () => import('./features/webhooks/WebhooksScreen.tsx')),
  ] as const;
}
