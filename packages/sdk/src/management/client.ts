import type {
  Activation,
  ActivationFilters,
  AllowedTrial,
  AllowTrial,
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
  RotateApiKey,
  Settings,
  UpdateApiKey,
  UpdateEntitlement,
  UpdatePolicy,
  UpdateProduct,
  UpdateSettings,
  UsageBucket,
  UsageFilters,
  UsagePoint,
  UsageSeriesFilters,
} from '../api-types.ts';
import { checked } from '../client.ts';
import { given } from '../error.ts';
import { type CallOptions, type ConnectionOptions, type CreateOptions, connect } from '../request.ts';
import { Connections } from './connections.ts';
import { Customers, Mails } from './customers.ts';
import { AuditLogs, Notifications, WebhookDeliveries, Webhooks } from './events.ts';
import { Licenses } from './licenses.ts';
import { BulkOperations, LicenseBatches } from './many-licenses.ts';
import { Releases } from './releases.ts';
import { ArchivableResource, DeletableResource, EditableResource, Endpoint, ListedResource } from './resource.ts';

/** The options of a `ManagementClient`. */
export interface ManagementClientOptions extends ConnectionOptions {
  /** An access token of the tenant, `service_…`. It never appears in an error. Keep it on a server. */
  readonly accessToken: string;
}

/** The products of the vendor. */
export class Products extends ArchivableResource<Product, ProductFilters, CreateProduct, UpdateProduct> {
  /** Lets a device, or an address, that had a trial of a product have another one. */
  allowTrial(id: string, whose: AllowTrial, call?: CallOptions): Promise<AllowedTrial> {
    return this.endpoint.act([id, 'allow-trial'], call, { body: whose, actsAgain: false });
  }
}

/** The templates of licenses. */
export type Policies = ArchivableResource<Policy, PolicyFilters, CreatePolicy, UpdatePolicy>;

/** The features and quotas that licenses grant. */
export type Entitlements = EditableResource<Entitlement, EntitlementFilters, CreateEntitlement, UpdateEntitlement>;

/** The devices that use licenses. `delete` frees a seat. */
export type Activations = DeletableResource<Activation, ActivationFilters>;

/** The keys of applications. Only the results of `create` and `rotate` contain a key; `delete` revokes it. */
export class ApiKeys extends EditableResource<ApiKey, ApiKeyFilters, CreateApiKey, UpdateApiKey, CreatedApiKey> {
  /** Replaces a key, once however often the request is sent. The old key works for a day more unless `how` says otherwise. */
  rotate(id: string, how: RotateApiKey = {}, call?: CreateOptions): Promise<CreatedApiKey> {
    return this.endpoint.once([id, 'rotate'], call, how);
  }
}

/** The use of metered entitlements over time. */
export class Usage extends ListedResource<UsageBucket, UsageFilters> {
  /** Returns the sums of all licenses, or of one, over time: what a chart shows. */
  series(filters?: UsageSeriesFilters, call?: CallOptions): Promise<UsagePoint[]> {
    return this.endpoint.read(['series'], filters, call);
  }
}

/** The settings of the tenant. */
export class TenantSettings {
  readonly #endpoint: Endpoint;

  /** @internal */
  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Returns the settings. */
  async get(call?: CallOptions): Promise<Settings> {
    return this.#endpoint.read([], undefined, call);
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
  readonly releases: Releases;
  readonly licenses: Licenses;
  readonly licenseBatches: LicenseBatches;
  readonly bulkOperations: BulkOperations;
  readonly activations: Activations;
  readonly customers: Customers;
  readonly entitlements: Entitlements;
  readonly usage: Usage;
  readonly mails: Mails;
  readonly apiKeys: ApiKeys;
  readonly settings: TenantSettings;
  readonly webhooks: Webhooks;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly notifications: Notifications;
  readonly auditLogs: AuditLogs;
  readonly connections: Connections;

  /** Throws `CONFIGURATION.INVALID` for an option that cannot work. Sends nothing. */
  constructor(options: ManagementClientOptions) {
    const { accessToken } = given(options, 'new ManagementClient({ baseUrl, accessToken })');
    const secret = checked('accessToken', accessToken, 'service_');
    const connection = connect(options, { header: 'authorization', scheme: 'Bearer ', secret });
    const at = (name: string) => new Endpoint(connection, name);
    this.products = new Products(at('products'));
    this.policies = new ArchivableResource(at('policies'));
    this.releases = new Releases(at('products'));
    this.licenses = new Licenses(at('licenses'));
    this.licenseBatches = new LicenseBatches(at('license-batches'));
    this.bulkOperations = new BulkOperations(at('bulk-operations'));
    this.activations = new DeletableResource(at('activations'));
    this.customers = new Customers(at('customers'));
    this.entitlements = new EditableResource(at('entitlements'));
    this.usage = new Usage(at('usage'));
    this.mails = new Mails(at('mails'));
    this.apiKeys = new ApiKeys(at('api-keys'));
    this.settings = new TenantSettings(at('settings'));
    this.webhooks = new Webhooks(at('webhooks'));
    this.webhookDeliveries = new WebhookDeliveries(at('webhook-deliveries'));
    this.notifications = new Notifications(at('notifications'));
    this.auditLogs = new AuditLogs(at('audit-logs'));
    this.connections = new Connections(at('connections'));
  }
}
