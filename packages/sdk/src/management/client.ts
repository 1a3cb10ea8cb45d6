import type {
  Activation,
  ActivationFilters,
  ApiKey,
  ApiKeyFilters,
  CreateApiKey,
  CreatedApiKey,
  CreateEntitlement,
  CreatePolicy,
  CreateProduct,
  Entitlement,
  EntitlementFilters,
  Policy,
  PolicyFilters,
  Product,
  ProductFilters,
  Settings,
  UpdateEntitlement,
  UpdatePolicy,
  UpdateProduct,
  UpdateSettings,
  UsageBucket,
  UsageFilters,
} from '../api-types.ts';
import { checked } from '../client.ts';
import { type CallOptions, type ConnectionOptions, connect } from '../request.ts';
import { AuditLogs, Notifications, WebhookDeliveries, Webhooks } from './events.ts';
import { Licenses } from './licenses.ts';
import { CreatableResource, DeletableResource, EditableResource, Endpoint, ListedResource } from './resource.ts';

/** The options of a `ManagementClient`. */
export interface ManagementClientOptions extends ConnectionOptions {
  /** An access token of the tenant, `service_…`. It never appears in an error. Keep it on a server. */
  readonly accessToken: string;
}

/** The products of the vendor. */
export type Products = EditableResource<Product, ProductFilters, CreateProduct, UpdateProduct>;

/** The templates of licenses. */
export type Policies = EditableResource<Policy, PolicyFilters, CreatePolicy, UpdatePolicy>;

/** The features and quotas that licenses grant. */
export type Entitlements = EditableResource<Entitlement, EntitlementFilters, CreateEntitlement, UpdateEntitlement>;

/** The devices that use licenses. `delete` frees a seat. */
export type Activations = DeletableResource<Activation, ActivationFilters>;

/** The keys of applications. Only the result of `create` contains a key; `delete` revokes it. */
export type ApiKeys = CreatableResource<ApiKey, ApiKeyFilters, CreateApiKey, CreatedApiKey>;

/** The use of metered entitlements over time. */
export type Usage = ListedResource<UsageBucket, UsageFilters>;

/** The settings of the tenant. */
export class TenantSettings {
  readonly #endpoint: Endpoint;

  /** @internal */
  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Returns the settings. */
  async get(call?: CallOptions): Promise<Settings> {
    return this.#endpoint.send('GET', [], call);
  }

  /** Changes the given settings. */
  async update(changes: UpdateSettings, call?: CallOptions): Promise<Settings> {
    return this.#endpoint.send('PUT', [], call, changes);
  }
}

/**
 * Manages the licenses of a vendor from the vendor's own backend. Every method throws only a `LicensingError`. Creations,
 * renewals and new keys carry an idempotency key, so that a retry does nothing twice.
 */
export class ManagementClient {
  readonly products: Products;
  readonly policies: Policies;
  readonly licenses: Licenses;
  readonly activations: Activations;
  readonly entitlements: Entitlements;
  readonly usage: Usage;
  readonly apiKeys: ApiKeys;
  readonly settings: TenantSettings;
  readonly webhooks: Webhooks;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly notifications: Notifications;
  readonly auditLogs: AuditLogs;

  /** Throws `CONFIGURATION.INVALID` for an option that cannot work. Sends nothing. */
  constructor(options: ManagementClientOptions) {
    const secret = checked('accessToken', options.accessToken, 'service_');
    const connection = connect(options, { header: 'authorization', scheme: 'Bearer ', secret });
    const at = (name: string) => new Endpoint(connection, name);
    this.products = new EditableResource(at('products'));
    this.policies = new EditableResource(at('policies'));
    this.licenses = new Licenses(at('licenses'));
    this.activations = new DeletableResource(at('activations'));
    this.entitlements = new EditableResource(at('entitlements'));
    this.usage = new ListedResource(at('usage'));
    this.apiKeys = new CreatableResource(at('api-keys'));
    this.settings = new TenantSettings(at('settings'));
    this.webhooks = new Webhooks(at('webhooks'));
    this.webhookDeliveries = new WebhookDeliveries(at('webhook-deliveries'));
    this.notifications = new Notifications(at('notifications'));
    this.auditLogs = new AuditLogs(at('audit-logs'));
  }
}
