import { toCamelCase } from '../src/naming.ts';
import { managementMethods, operationOf } from './management-methods.ts';
import type { OpenApiDocument, Schema } from './openapi-document.ts';
import { printTypes } from './print-types.ts';

/** The components that only `LicensingClient` and webhooks return. The components that they refer to become types as well. */
const responses = [
  ...['UsageReport', 'LicensedDevices', 'Trial', 'PendingTrial', 'LatestRelease', 'ReleaseDownload', 'WebhookEvent'],
  'ErrorCode',
];

/** The components that only `LicensingClient` sends. */
const requests = ['ListLicensedDevices', 'StartTrial', 'UsageEvent', 'FindRelease'];

/** The components of operations in place of which the methods of the SDK have other types. */
const replaced: ReadonlySet<string> = new Set([
  ...['Deletion', 'PolicyDetail', 'LicenseDetails', 'ActivationDetails', 'Sale'],
  ...['LicenseTransition', 'LicenseRevocation', 'LicenseRenewal', 'LicenseAction'],
]);

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
function queryOf(api: OpenApiDocument, operationId: string): Schema {
  const { operation } = operationOf(api, operationId);
  const query = (operation.parameters ?? []).filter(
    (parameter) => parameter.in === 'query' && parameter.name !== 'cursor',
  );
  const properties = Object.fromEntries(
    query.map(({ name, description, schema }) => [name, { ...schema, ...(description && { description }) }]),
  );
  return { type: 'object', description: 'The filters and the page size of a list.', properties };
}

/** Returns the components that a value of a method consists of, beside those in `replaced`. */
function componentsOf({ $ref, items, anyOf = [] }: Schema = {}): string[] {
  const name = $ref?.slice($ref.lastIndexOf('/') + 1);
  if (name !== undefined) return replaced.has(name) ? [] : [name];
  return [...(items === undefined ? [] : [items]), ...anyOf].flatMap(componentsOf);
}

/**
 * Returns the text of src/api-types.ts, the types of requests and responses, for a document. Throws if the document lacks
 * one of the named parts.
 */
export function generateTypes(api: OpenApiDocument): string {
  const methods = Object.values(managementMethods(api)).flat();
  const queries = Object.entries(filters).map(([name, operationId]) => {
    return [name, queryOf(api, operationId)] as const;
  });
  const types = printTypes({
    components: { ...api.components.schemas, ...Object.fromEntries(queries) },
    responses: [...responses, ...methods.flatMap(({ data }) => componentsOf(data))],
    requests: [...requests, ...methods.flatMap(({ fields }) => componentsOf(fields)), ...queries.map(([name]) => name)],
    unknownMembers: { WebhookEvent: 'UnknownWebhookEvent' },
    rename: toCamelCase,
  });
  const imports = `import type { UnknownWebhookEvent } from './unknown-webhook-event.ts';`;
  return `// Generated from openapi.json by scripts/generate-types.ts. Do not edit.\n${imports}\n\n${types}`;
}
