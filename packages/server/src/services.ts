import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { PlatformDb, PlatformTransaction } from './db/database.ts';
import type { ApiKeyUsage } from './features/accounts/api-keys/usage.ts';
import type { FailedRequests } from './features/licensing/dev-tools/failed-requests.ts';
import type { LicenseDependents } from './features/licensing/licenses/license-dependents.ts';
import type { LicenseValidations } from './features/licensing/licenses/validations.ts';
import type { TenantActivity } from './features/operations/activity/activity.ts';
import type { PersonalDataHolders } from './features/tenant-core/personal-data/personal-data.ts';
import type { WebhookSender } from './features/webhooks/delivery/sender.ts';
import type { DeliveryTraffic } from './features/webhooks/delivery/traffic.ts';
import type { JobWakeUps } from './jobs/wake-ups.ts';
import type { Clock, Timestamp } from './lib/clock.ts';
import type { Keyring } from './lib/keyring.ts';
import type { MailQueue } from './mail/queue.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { PaymentProvider } from './payments/provider.ts';
import type { Sandbox } from './payments/sandbox/sandbox.ts';
import type { RateLimits } from './rate-limit/rate-limits.ts';
import type { Provisioning } from './tenancy/provisioning.ts';
import type { ServerConnections } from './tenancy/server-connections.ts';
import type { TenantPool } from './tenancy/tenant-pool.ts';

/**
 * Work that a change makes for features above the one that makes the change: each function enqueues it in the transaction
 * of the change. The caller calls `wakeUps.wakeRunner` after the commit.
 */
export interface FollowUps {
  /** A tenant was closed: its subscriptions must be canceled. */
  readonly tenantClosed: (tx: PlatformTransaction, tenantId: string, at: Timestamp) => Promise<void>;
  /** A subscription without a tenant refers to a checkout: the checkout may be paid. */
  readonly orphanFound: (tx: PlatformTransaction, checkoutId: string, at: Timestamp) => Promise<void>;
}

/** What the composition root makes once and passes to every feature. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keyring: Keyring;
  readonly platform: PlatformDb;
  readonly tenants: TenantPool;
  /** The connections to the PostgreSQL servers that hold tenants. */
  readonly connections: ServerConnections;
  readonly provisioning: Provisioning;
  /** All implementations of the personal data contract. */
  readonly personalData: PersonalDataHolders;
  readonly rateLimits: RateLimits;
  readonly mail: MailQueue;
  readonly metrics: Metrics;
  /** Who takes payments; null: nothing can be bought. */
  readonly payments: PaymentProvider | null;
  /** The sandbox's own side; null where another provider takes payments, or none. */
  readonly sandbox: Sandbox | null;
  /** Posts events to endpoints; holds their connections. */
  readonly webhookSender: WebhookSender;
  /** What is being sent to endpoints, by all runs together. */
  readonly webhookTraffic: DeliveryTraffic;
  /** `last_used_at` of API keys, written behind. */
  readonly apiKeyUsage: ApiKeyUsage;
  /** `last_validated_at` of licenses, written behind. */
  readonly licenseValidations: LicenseValidations;
  /** What other features release when a license is deleted. */
  readonly licenseDependents: LicenseDependents;
  /** The last Integration requests that failed, written behind. */
  readonly failedRequests: FailedRequests;
  /** What tenants' applications do, counted in hours and days; written behind. */
  readonly activity: TenantActivity;
  /** Notes which tenant has background work when, written behind. */
  readonly wakeUps: JobWakeUps;
  readonly followUps: FollowUps;
}
