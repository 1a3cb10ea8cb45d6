import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { PlatformDb, PlatformTransaction } from './db/database.ts';
import type { Outages } from './db/outages.ts';
import type { ServerConnections } from './db/postgres/connection-budget.ts';
import type { LastUses } from './features/accounts/credentials/credential.ts';
import type { TenantBilling } from './features/accounts/tenants/tenant.ts';
import type { PurchaseRecords } from './features/holders/customers/purchase-records.ts';
import type { ServedDomains } from './features/holders/portal/served-domains.ts';
import type { FailedRequests } from './features/licensing/dev-tools/failed-requests.ts';
import type { DeviceHistory } from './features/licensing/device-history/device-history.ts';
import type { LicenseDependents } from './features/licensing/licenses/license-dependents.ts';
import type { ValidationTimes } from './features/licensing/licenses/validation-times.ts';
import type { PrivateKeys } from './features/licensing/signing-keys/signing-key.ts';
import type { TenantActivity } from './features/operations/activity/activity.ts';
import type { PersonalDataHolders } from './features/tenant-core/personal-data/personal-data.ts';
import type { WebhookSender } from './features/webhooks/delivery/sender.ts';
import type { DeliveryTraffic } from './features/webhooks/delivery/traffic.ts';
import type { JobWakeUps } from './jobs/wake-ups.ts';
import type { Clock, Timestamp } from './lib/clock.ts';
import type { Keyring } from './lib/keyring.ts';
import type { ResolveTxt } from './lib/txt-records.ts';
import type { MailQueue } from './mail/queue.ts';
import type { MailTransport } from './mail/transport.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { PaymentProvider } from './payments/provider.ts';
import type { Sandbox } from './payments/sandbox/sandbox.ts';
import type { RateLimits } from './rate-limit/rate-limits.ts';
import type { Provisioning } from './tenancy/provisioning.ts';
import type { SeedTenant } from './tenancy/tenant-databases.ts';
import type { TenantPool } from './tenancy/tenant-pool.ts';
import type { Tracing } from './tracing/tracing.ts';

/**
 * Work in higher features that a change causes. Each function enqueues its work in the transaction of the change. The
 * caller calls `wakeUps.wakeRunner` after the commit.
 */
export interface FollowUps {
  /** Enqueues the cancellation of a closed tenant's subscriptions. */
  readonly tenantClosed: (tx: PlatformTransaction, tenantId: string, at: Timestamp) => Promise<void>;
  /** Enqueues a check whether a checkout is paid, because a subscription without a tenant refers to it. */
  readonly orphanFound: (tx: PlatformTransaction, checkoutId: string, at: Timestamp) => Promise<void>;
}

/** The services that the composition root creates once and passes to every feature. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the log knows of unavailable databases and disks. */
  readonly outages: Outages;
  readonly keyring: Keyring;
  /** Opens the private signing keys of tenants. */
  readonly privateKeys: PrivateKeys;
  readonly platform: PlatformDb;
  readonly tenants: TenantPool;
  /** The connections to the PostgreSQL servers that hold tenants. */
  readonly connections: ServerConnections;
  readonly provisioning: Provisioning;
  /** Inserts the rows that every tenant's database contains: its signing key. */
  readonly seedTenant: SeedTenant;
  /** All implementations of the personal data contract. */
  readonly personalData: PersonalDataHolders;
  readonly rateLimits: RateLimits;
  readonly mail: MailQueue;
  /** The service's mail server, or files. `mail` owns it. */
  readonly mailTransport: MailTransport;
  readonly metrics: Metrics;
  /** Sends spans to a collector; null unless one is configured. */
  readonly tracing: Tracing | null;
  /** The payment provider; null if payments are not configured. */
  readonly payments: PaymentProvider | null;
  /** The simulated payment provider; null unless it is configured. */
  readonly sandbox: Sandbox | null;
  /** Sends events to webhook endpoints and owns the connections to them. */
  readonly webhookSender: WebhookSender;
  /** The requests in progress to webhook endpoints, across all runs of the delivery job. */
  readonly webhookTraffic: DeliveryTraffic;
  /** `last_used_at` of API keys, buffered and written together. */
  readonly apiKeyUsage: LastUses;
  /** `last_used_at` of access tokens, buffered and written together. */
  readonly accessTokenUsage: LastUses;
  /** `last_validated_at` of licenses, buffered and written together. */
  readonly validationTimes: ValidationTimes;
  /** What devices asked about licenses, buffered and written together. */
  readonly deviceHistory: DeviceHistory;
  /** The functions with which other features release the data of a deleted license. */
  readonly licenseDependents: LicenseDependents;
  /** The most recent failed requests to the Integration API, buffered and written together. */
  readonly failedRequests: FailedRequests;
  /** Counts of Integration API activity per tenant, hour and day, buffered and written together. */
  readonly activity: TenantActivity;
  /** Schedules when tenants have background work, buffered and written together. */
  readonly wakeUps: JobWakeUps;
  /** What customers bought in connected shops. */
  readonly purchaseRecords: PurchaseRecords;
  /** Sends requests to the APIs of shops, and to nothing else. */
  readonly shopFetch: typeof fetch;
  /** Reads the DNS records that prove domains. */
  readonly resolveTxt: ResolveTxt;
  /** The tenants' own domains at which this node serves their portals. */
  readonly servedDomains: ServedDomains;
  readonly followUps: FollowUps;
  /** The billing data of a tenant. */
  readonly tenantBilling: TenantBilling;
}

/*
 * The combinations of services that functions need. A function that needs any other combination takes `Services`.
 */

/** The services of work inside one tenant's database. */
export type ClockServices = Pick<Services, 'clock'>;
/** The services that seal and sign. */
export type KeyServices = Pick<Services, 'clock' | 'keyring'>;
/** The services of work in the platform database. */
export type PlatformServices = Pick<Services, 'clock' | 'platform'>;
/** The services of work in several tenants, and of changes that cause background work. */
export type TenantWorkServices = Pick<Services, 'clock' | 'logger' | 'platform' | 'tenants' | 'wakeUps'>;
/** The services of accounts and of payments: work in the platform database that limits, seals and sends mail. */
export type MailServices = Pick<Services, 'clock' | 'config' | 'keyring' | 'mail' | 'platform' | 'rateLimits'>;
