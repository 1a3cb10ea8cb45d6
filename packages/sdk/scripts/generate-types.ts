// Writes src/api-types.ts, the types of requests and responses, from openapi.json. `npm run openapi` runs it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toCamelCase } from '../src/naming.ts';
import { type Direction, type NamedSchema, printTypes, type Schema } from './print-types.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Replaces each `$ref` by its target in the document. */
function dereferenced<Value>(value: Value, document: Document): Value {
  const replace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replace);
    if (!isObject(node)) return node;
    const { $ref, ...rest } = node;
    const target = typeof $ref === 'string' ? targetOf($ref, document) : {};
    return Object.fromEntries(Object.entries({ ...target, ...rest }).map(([key, child]) => [key, replace(child)]));
  };
  return replace(value) as Value;
}

/** Returns the target of a reference within the document (RFC 6901, without escapes). */
function targetOf(reference: string, document: unknown): Record<string, unknown> {
  let target = document;
  for (const segment of reference.split('/').slice(1)) target = isObject(target) ? target[segment] : undefined;
  if (!isObject(target)) throw new Error(`openapi.json has no ${reference}.`);
  return target;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns every type of the package with the place of its schema in the document. */
function namedSchemas(document: Document): NamedSchema[] {
  const operation = (method: string, path: string): Operation => {
    const found = document.paths[`/api/v1/${path}`]?.[method];
    if (found === undefined) throw new Error(`openapi.json has no operation ${method} /api/v1/${path}.`);
    return dereferenced(found, document);
  };
  const named = (name: string, direction: Direction, about: string, schema: Schema | undefined): NamedSchema => {
    if (schema === undefined) throw new Error(`openapi.json has no schema for ${name}.`);
    return { name, direction, about, schema };
  };
  const response = (name: string, about: string, method: string, path: string, status = '200') => {
    const body = operation(method, path).responses[status]?.content['application/json']?.schema;
    return named(name, 'response', about, body?.properties?.['data']);
  };
  const request = (name: string, about: string, method: string, path: string) =>
    named(name, 'request', about, operation(method, path).requestBody?.content['application/json']?.schema);
  const filters = (name: string, path: string) => {
    const parameters = operation('get', path).parameters ?? [];
    const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'cursor');
    const properties = Object.fromEntries(
      query.map(({ name: field, description, schema }) => [field, { ...(description && { description }), ...schema }]),
    );
    return named(name, 'request', 'The filters and the page size of a list.', { type: 'object', properties });
  };
  const part = ({ schema }: NamedSchema, field: string) => schema.properties?.[field]?.items;
  const key = 'integration/licenses/{key}';
  const verdict = response(
    'Verdict',
    'The answer to the question whether a license may be used.',
    'post',
    `${key}/validate`,
  );
  const report = request('ReportUsage', '', 'post', `${key}/usage`);
  return [
    verdict,
    named('EntitlementCheck', 'response', 'What a license grants of one entitlement.', part(verdict, 'entitlements')),
    request('ValidateLicense', 'The conditions of a validation.', 'post', `${key}/validate`),
    request('CreateActivation', 'A device to activate.', 'post', `${key}/activations`),
    named('UsageEvent', 'request', 'One use of a metered entitlement.', part(report, 'events')),
    response('UsageReport', 'What became of the reported events.', 'post', `${key}/usage`),
    request('IssueCertificate', 'The terms of an offline certificate.', 'post', `${key}/certificate`),
    response('Certificate', 'An offline certificate.', 'post', `${key}/certificate`),
    response('Product', 'What a vendor sells.', 'get', 'tenant/products/{id}'),
    request('CreateProduct', 'A new product.', 'post', 'tenant/products'),
    request('UpdateProduct', 'The changes of a product: absent stays, null clears.', 'put', 'tenant/products/{id}'),
    filters('ProductFilters', 'tenant/products'),
    response('Policy', 'The template of licenses of one product.', 'get', 'tenant/policies/{id}'),
    request('CreatePolicy', 'A new policy.', 'post', 'tenant/policies'),
    request('UpdatePolicy', 'The changes of a policy: absent stays, null clears.', 'put', 'tenant/policies/{id}'),
    filters('PolicyFilters', 'tenant/policies'),
    response(
      'License',
      'A license. In a verdict, `maxActivations` is the effective limit.',
      'get',
      'tenant/licenses/{id}',
    ),
    request('CreateLicense', 'A new license.', 'post', 'tenant/licenses'),
    request('UpdateLicense', 'The changes of a license: absent stays, null clears.', 'put', 'tenant/licenses/{id}'),
    filters('LicenseFilters', 'tenant/licenses'),
    response('ImportResult', 'What became of the rows of an import.', 'post', 'tenant/licenses/import'),
    response('Activation', 'One device that uses a license.', 'get', 'tenant/activations/{id}'),
    filters('ActivationFilters', 'tenant/activations'),
    response('Entitlement', 'A feature or a quota that licenses can grant.', 'get', 'tenant/entitlements/{id}'),
    request('CreateEntitlement', 'A new entitlement.', 'post', 'tenant/entitlements'),
    request('UpdateEntitlement', 'The changes of an entitlement.', 'put', 'tenant/entitlements/{id}'),
    filters('EntitlementFilters', 'tenant/entitlements'),
    named(
      'UsageBucket',
      'response',
      'The use of one entitlement by one license in one interval.',
      itemsOf(operation('get', 'tenant/usage')),
    ),
    filters('UsageFilters', 'tenant/usage'),
    response('ApiKey', 'A key of an application, without its secret.', 'get', 'tenant/api-keys/{id}'),
    response('CreatedApiKey', 'A new API key, with its secret.', 'post', 'tenant/api-keys', '201'),
    request('CreateApiKey', 'A new API key.', 'post', 'tenant/api-keys'),
    filters('ApiKeyFilters', 'tenant/api-keys'),
    response('Settings', 'The settings of the tenant.', 'get', 'tenant/settings'),
    request('UpdateSettings', 'The changes of the settings: absent stays, null clears.', 'put', 'tenant/settings'),
    response('WebhookEndpoint', 'An address that receives events.', 'get', 'tenant/webhooks/{id}'),
    response(
      'WebhookEndpointWithSecret',
      'A webhook endpoint with its signing secret.',
      'post',
      'tenant/webhooks',
      '201',
    ),
    request('CreateWebhook', 'A new webhook endpoint.', 'post', 'tenant/webhooks'),
    request('UpdateWebhook', 'The changes of a webhook endpoint.', 'put', 'tenant/webhooks/{id}'),
    request('RecoverEvents', 'The time whose failed events are sent again.', 'post', 'tenant/webhooks/{id}/recover'),
    filters('WebhookFilters', 'tenant/webhooks'),
    response(
      'WebhookDelivery',
      'One event for one endpoint, with its attempts.',
      'get',
      'tenant/webhook-deliveries/{id}',
    ),
    filters('WebhookDeliveryFilters', 'tenant/webhook-deliveries'),
    named(
      'Notification',
      'response',
      'A notice to the people of the tenant.',
      itemsOf(operation('get', 'tenant/notifications')),
    ),
    request('CreateNotification', 'A new notification.', 'post', 'tenant/notifications'),
    filters('NotificationFilters', 'tenant/notifications'),
    named('AuditRecord', 'response', 'Who changed what.', itemsOf(operation('get', 'tenant/audit-logs'))),
    filters('AuditLogFilters', 'tenant/audit-logs'),
  ];
}

function itemsOf({ responses }: Operation): Schema | undefined {
  return responses['200']?.content['application/json']?.schema.properties?.['data']?.items;
}

/** Returns the text of src/api-types.ts for a document. */
export function generateTypes(document: unknown): string {
  // The document is our own: its tests check its form.
  const types = printTypes(namedSchemas(document as Document), toCamelCase);
  return `// Generated from openapi.json by scripts/generate-types.ts. Do not edit.\n\n${types}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const document: unknown = JSON.parse(readFileSync(join(folder, '../../openapi.json'), 'utf8'));
  writeFileSync(join(folder, 'src/api-types.ts'), generateTypes(document));
}
