import { toCamelCase } from '../src/naming.ts';
import type { OpenApiDocument, Schema } from './openapi-document.ts';
import { printTypes } from './print-types.ts';

/** The components that the SDK returns. The components that they refer to become types as well. */
const responses = [
  'Verdict',
  'EntitlementChecks',
  'UsageReport',
  'Certificate',
  'Product',
  'AllowedTrial',
  'Policy',
  'License',
  'ImportResult',
  'LicenseImport',
  'LicenseCheck',
  'LicenseSale',
  'PortalLink',
  'LicenseBatch',
  'BulkOperation',
  'BulkPreview',
  'Customer',
  'CustomerDetails',
  'CustomerExport',
  'CustomerNote',
  'HolderMail',
  'Connection',
  'ConnectionWithSecret',
  'ShopCatalog',
  'Offer',
  'SaleEvent',
  'TestSale',
  'Comparison',
  'ComparisonDifference',
  'Activation',
  'LicensedDevices',
  'Trial',
  'PendingTrial',
  'LatestRelease',
  'ReleaseDownload',
  'Release',
  'ReleaseDownloads',
  'Entitlement',
  'UsageBucket',
  'UsagePoint',
  'ApiKey',
  'CreatedApiKey',
  'Settings',
  'WebhookEndpoint',
  'WebhookEndpointWithSecret',
  'RecoveredWebhook',
  'WebhookDelivery',
  'WebhookDeliverySummary',
  'Notification',
  'UnreadNotificationCount',
  'ReadCount',
  'AuditRecord',
  'WebhookEvent',
  'ErrorCode',
];

/** The components that the SDK sends. */
const requests = [
  'ValidateLicense',
  'CreateActivation',
  'ListLicensedDevices',
  'StartTrial',
  'UsageEvent',
  'IssueCertificate',
  'FindRelease',
  'CreateRelease',
  'UpdateRelease',
  'YankRelease',
  'CreateProduct',
  'AllowTrial',
  'UpdateProduct',
  'CreatePolicy',
  'UpdatePolicy',
  'CreateLicense',
  'UpdateLicense',
  'ConvertLicense',
  'CreateLicenseBatch',
  'CreateBulkOperation',
  'UpdateCustomer',
  'CreateCustomerNote',
  'SendHolderMail',
  'CreateConnection',
  'UpdateConnection',
  'CreateOffer',
  'UpdateOffer',
  'SendTestSale',
  'CreateEntitlement',
  'UpdateEntitlement',
  'CreateApiKey',
  'UpdateApiKey',
  'RotateApiKey',
  'UpdateSettings',
  'CreateWebhookEndpoint',
  'UpdateWebhookEndpoint',
  'RecoverWebhook',
  'CreateNotification',
];

/** The operations with a type for their query, by the name of the type. */
const filters = {
  ProductFilters: 'listProducts',
  PolicyFilters: 'listPolicies',
  ReleaseFilters: 'listReleases',
  ReleaseDownloadFilters: 'listReleaseDownloads',
  LicenseFilters: 'listLicenses',
  ActivationFilters: 'listActivations',
  EntitlementFilters: 'listEntitlements',
  UsageFilters: 'listUsage',
  ApiKeyFilters: 'listApiKeys',
  WebhookFilters: 'listWebhooks',
  WebhookDeliveryFilters: 'listWebhookDeliveries',
  NotificationFilters: 'listNotifications',
  AuditLogFilters: 'listAuditLogs',
  LicenseCheckFilters: 'listLicenseChecks',
  LicenseBatchFilters: 'listLicenseBatches',
  BulkOperationFilters: 'listBulkOperations',
  CustomerFilters: 'listCustomers',
  CustomerNoteFilters: 'listCustomerNotes',
  HolderMailFilters: 'listHolderMails',
  UsageSeriesFilters: 'getUsageSeries',
  ConnectionFilters: 'listConnections',
  OfferFilters: 'listOffers',
  SaleEventFilters: 'listSaleEvents',
  SaleFilters: 'listSales',
  ComparisonFilters: 'listComparisons',
  DifferenceFilters: 'listDifferences',
};

/** Returns the query of an operation as a schema, without the cursor, which the SDK sends itself. */
function queryOf({ paths }: Pick<OpenApiDocument, 'paths'>, operationId: string): Schema {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const operation = operations.find((one) => one.operationId === operationId);
  if (operation === undefined) throw new Error(`openapi.json has no operation ${operationId}.`);
  const query = (operation.parameters ?? []).filter(
    (parameter) => parameter.in === 'query' && parameter.name !== 'cursor',
  );
  const properties = Object.fromEntries(
    query.map(({ name, description, schema }) => [name, { ...schema, ...(description && { description }) }]),
  );
  return { type: 'object', description: 'The filters and the page size of a list.', properties };
}

/** Returns the text of src/api-types.ts, the types of requests and responses, for a document. Throws if the document lacks one of the named parts. */
export function generateTypes({ components, paths }: OpenApiDocument): string {
  const queries = Object.entries(filters).map(([name, operationId]) => {
    return [name, queryOf({ paths }, operationId)] as const;
  });
  const types = printTypes({
    components: { ...components.schemas, ...Object.fromEntries(queries) },
    responses,
    requests: [...requests, ...queries.map(([name]) => name)],
    unknownMembers: { WebhookEvent: 'UnknownWebhookEvent' },
    rename: toCamelCase,
  });
  const imports = `import type { UnknownWebhookEvent } from './unknown-webhook-event.ts';`;
  return `// Generated from openapi.json by scripts/generate-types.ts. Do not edit.\n${imports}\n\n${types}`;
}
