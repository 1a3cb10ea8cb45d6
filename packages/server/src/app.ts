import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Background } from './background.ts';
import { loadOrCreateAppKey } from './config/app-key.ts';
import type { Config } from './config/config.ts';
import { prepareDataDir } from './config/data-dir.ts';
import { readClockDifferenceMs, readLastBackupMs } from './db/installation.ts';
import type { Migrations } from './db/migrations/migrate.ts';
import { storeChecks, watchOutages } from './db/outages.ts';
import { openPlatformDb } from './db/platform.ts';
import { createServerConnections } from './db/postgres/connection-budget.ts';
import { LastUses } from './features/accounts/credentials/credential.ts';
import { enqueueDunning, enqueueSyncOfClosedTenant } from './features/commerce/billing/enqueue.ts';
import { tenantBilling } from './features/commerce/billing/overview-service.ts';
import { createAttachmentRenderer } from './features/commerce/invoices/files.ts';
import { enqueueOnboarding } from './features/commerce/onboarding/payment-service.ts';
import { ServedDomains } from './features/holders/portal/served-domains.ts';
import { licenseDependents } from './features/licensing/activations/service.ts';
import { FailedRequests } from './features/licensing/dev-tools/failed-requests.ts';
import { DeviceHistory } from './features/licensing/device-history/device-history.ts';
import { ValidationTimes } from './features/licensing/licenses/validation-times.ts';
import { createFirstSigningKey } from './features/licensing/signing-keys/service.ts';
import { createPrivateKeys } from './features/licensing/signing-keys/signing-key.ts';
import { TenantActivity } from './features/operations/activity/activity.ts';
import { purchaseRecords } from './features/sales/offers/purchase-records.ts';
import { createWebhookSender } from './features/webhooks/delivery/sender.ts';
import { DeliveryTraffic } from './features/webhooks/delivery/traffic.ts';
import { announceStop, finishRequests } from './http/server.ts';
import { countDue } from './jobs/backlog-queries.ts';
import { JobWakeUps } from './jobs/wake-ups.ts';
import { type Clock, systemClock, toEpochMs } from './lib/clock.ts';
import { createKeyring } from './lib/keyring.ts';
import { createAddressPolicy } from './lib/public-addresses.ts';
import { createTxtResolver, type ResolveTxt } from './lib/txt-records.ts';
import { readMailBacklog } from './mail/queries.ts';
import { createMailQueue } from './mail/queue.ts';
import { createFileTransport, createSmtpTransport } from './mail/transport.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { openPayments } from './payments/open-payments.ts';
import type { SendEvent } from './payments/sandbox/context.ts';
import { personalDataHolders } from './personal-data-holders.ts';
import { createMemoryRateLimits } from './rate-limit/memory-rate-limits.ts';
import type { SharedRateLimitsOptions } from './rate-limit/valkey/shared-rate-limits.ts';
import { sealedColumns } from './sealed-columns.ts';
import type { Services } from './services.ts';
import { createMigrationBackoff } from './tenancy/migration-backoff.ts';
import { announceNode, type NodeAnnouncement } from './tenancy/nodes.ts';
import { openTenantDatabases } from './tenancy/open-tenant-databases.ts';
import { createProvisioning } from './tenancy/provisioning.ts';
import { TenantPool } from './tenancy/tenant-pool.ts';
import { findTenantRecord } from './tenancy/tenant-record.ts';
import { openTracing } from './tracing/open-tracing.ts';
import { serviceVersion } from './version.ts';

interface Dependencies {
  readonly logger: Logger;
  readonly clock?: Clock;
  /** The migrations of this version unless given. */
  readonly migrations?: { readonly platform: Migrations; readonly tenant: Migrations };
  /** Delivers the sandbox's events to this service; absent if the service has no surfaces. */
  readonly sendEvent?: SendEvent;
  /** Replaces the requests to the APIs of shops in tests. */
  readonly shopFetch?: typeof fetch;
  /** Replaces the requests to DNS in tests. */
  readonly resolveTxt?: ResolveTxt;
  /** Overrides Valkey's clock for rate limit windows that nodes share, so that tests control the time. */
  readonly windowClock?: Pick<Clock, 'nowMs'>;
  /** Prepares the server before its first route is registered, to describe the routes. */
  readonly beforeRoutes?: (http: FastifyInstance) => Promise<void>;
}

/** All services without the surfaces; commands use them too. */
export interface OpenServices extends Services {
  /** Connects to the state that nodes share outside the databases (Valkey). Throws if Valkey rejects the settings. */
  joinNodes(): Promise<void>;
  /** The places whose tenants this process can open. */
  readonly places: readonly string[];
  /** Writes buffered data and closes every database. */
  close(): Promise<void>;
}

/** Opens the databases and creates every service. Throws if a database cannot be opened or the settings are invalid. */
export async function openServices(config: Config, dependencies: Dependencies): Promise<OpenServices> {
  const { clock = systemClock(), sendEvent, windowClock } = dependencies;
  const outages = watchOutages(dependencies.logger, storeChecks(config));
  const { logger } = outages;
  const metrics = createMetrics();
  const storage = await openStorage(config, { ...dependencies, logger, clock, metrics });
  const { keyring, platform, tenants, connections, databases } = storage;
  watchStorage(metrics, storage, { clock, logger });
  const sharedRateLimits = await openSharedRateLimits(config, {
    clock,
    windowClock,
    logger,
    metrics: metrics.rateLimits,
  });
  const tracing = await openTracing(config, logger);
  const buffers = createBuffers({ platform, tenants, clock, logger });
  const mailTransport = config.smtp === null ? createFileTransport(config) : createSmtpTransport(config.smtp);
  const mail = createMailQueue({
    config,
    platform,
    keyring,
    clock,
    logger,
    metrics: metrics.mail,
    transport: mailTransport,
    renderAttachment: createAttachmentRenderer(platform),
    wakeUps: buffers.wakeUps,
  });
  const payments = await openPayments(config, {
    platform,
    clock,
    keyring,
    logger,
    wakeUps: buffers.wakeUps,
    sendEvent,
    onClockAdvanced: enqueueDunning,
  });
  const webhookSender = createWebhookSender({
    addresses: createAddressPolicy(config.webhookAllowedCidrs),
    allowHttp: config.webhookAllowHttp,
    userAgent: `Licensing-Webhooks/${serviceVersion}`,
    nowMs: () => clock.nowMs(),
  });
  const webhookTraffic = new DeliveryTraffic();
  const servedDomains = new ServedDomains(config, platform);
  return {
    config,
    clock,
    logger,
    outages,
    keyring,
    privateKeys: createPrivateKeys(keyring),
    platform,
    tenants,
    connections,
    provisioning: createProvisioning(databases),
    seedTenant: storage.seedTenant,
    places: databases.places,
    personalData: personalDataHolders,
    rateLimits: sharedRateLimits ?? createMemoryRateLimits(clock),
    mail,
    mailTransport,
    metrics,
    tracing,
    ...payments,
    webhookSender,
    webhookTraffic,
    ...buffers,
    licenseDependents,
    purchaseRecords,
    shopFetch: dependencies.shopFetch ?? fetch,
    resolveTxt: dependencies.resolveTxt ?? createTxtResolver(),
    servedDomains,
    followUps: { tenantClosed: enqueueSyncOfClosedTenant, orphanFound: enqueueOnboarding },
    tenantBilling,
    async joinNodes() {
      await sharedRateLimits?.open();
    },
    async close() {
      outages.close();
      servedDomains.close();
      await webhookTraffic.stop(0);
      webhookSender.close();
      await Promise.all(Object.values(buffers).map((buffer) => buffer.close()));
      mail.close();
      await sharedRateLimits?.close();
      await tracing?.close();
      await tenants.close();
      await platform.close();
    },
  };
}

type Storage = Awaited<ReturnType<typeof openStorage>>;

/** Opens the platform database and the pool of the tenants' databases. */
async function openStorage(
  config: Config,
  dependencies: Dependencies & { readonly clock: Clock; readonly metrics: Metrics },
) {
  const { logger, clock, migrations, metrics } = dependencies;
  prepareDataDir(config);
  const keyring = createKeyring(config.appKey ?? loadOrCreateAppKey(config.dataDir), config.previousAppKeys);
  const platform = await openPlatformDb(config, {
    keyring,
    clock,
    sealedColumns: sealedColumns.platform,
    migrations: migrations?.platform,
  });
  const connections = createServerConnections(config.tenantConnectionsPerServer);
  const seedTenant = createFirstSigningKey({ clock, keyring });
  const databases = openTenantDatabases(config, {
    platform,
    keyring,
    clock,
    seedTenant,
    connections,
    migrationBackoff: createMigrationBackoff({ platform, clock, logger, metrics }),
    ...(migrations && { tenantMigrations: migrations.tenant }),
  });
  const tenants = new TenantPool({
    databases,
    capacity: config.tenantPoolSize,
    findRecord: (tenantId) => findTenantRecord(platform, tenantId),
    clock,
    onCloseError: (error, tenant_id) => logger.warn({ err: error, tenant_id }, 'closing a tenant database failed'),
  });
  return { keyring, platform, connections, seedTenant, databases, tenants };
}

/** Lets each scrape of the metrics read the state of the databases and of the queues in them. */
function watchStorage(
  metrics: Metrics,
  { platform, tenants, connections }: Storage,
  { clock, logger }: Pick<Services, 'clock' | 'logger'>,
): void {
  const secondsSince = (moment: string) => Math.max(0, clock.nowMs() - toEpochMs(moment)) / 1000;
  metrics.watchOpenTenants(() => tenants.openCount);
  metrics.watchConnections(() => connections.counts());
  metrics.watchInstallation(
    async () => {
      const lastBackupMs = await readLastBackupMs(platform);
      return { lastBackupMs, clockDifferenceMs: await readClockDifferenceMs(platform, clock) };
    },
    {
      hasPostgres: platform.engine === 'postgres',
      onError: (error) => logger.warn({ err: error }, 'reading the state of the installation for the metrics failed'),
    },
  );
  metrics.jobs.watchDue(
    async () => {
      const due = await countDue(platform, clock.now());
      return due.map(({ kind, count, oldestDueAt }) => {
        return { kind, subjects: count, oldestSeconds: secondsSince(oldestDueAt) };
      });
    },
    (error) => logger.warn({ err: error }, 'counting due background jobs for the metrics failed'),
  );
  metrics.mail.watchBacklog(
    async (max) => {
      const { oldestAt, ...counts } = await readMailBacklog(platform, max);
      return { ...counts, oldestSeconds: oldestAt === null ? 0 : secondsSince(oldestAt) };
    },
    (error) => logger.warn({ err: error }, 'counting waiting mails for the metrics failed'),
  );
}

/** Creates the values that are buffered in memory and written together. Each is written when it is closed. */
function createBuffers({
  platform,
  tenants,
  clock,
  logger,
}: Pick<Services, 'clock' | 'logger' | 'platform' | 'tenants'>) {
  return {
    apiKeyUsage: new LastUses({ platform, logger, table: 'api_keys' }),
    accessTokenUsage: new LastUses({ platform, logger, table: 'tenant_access_tokens' }),
    validationTimes: new ValidationTimes({ withTenant: tenants, logger }),
    deviceHistory: new DeviceHistory({ withTenant: tenants, logger }),
    failedRequests: new FailedRequests({ withTenant: tenants, logger }),
    activity: new TenantActivity({ platform, clock, logger }),
    wakeUps: new JobWakeUps({ platform, clock, logger }),
  };
}

/** Loads Valkey's driver only if `VALKEY_URL` is set, because it takes 200 ms and 25 MiB. */
async function openSharedRateLimits({ valkeyUrl: url }: Config, options: Omit<SharedRateLimitsOptions, 'url'>) {
  if (url === null) return null;
  const { createSharedRateLimits } = await import('./rate-limit/valkey/shared-rate-limits.ts');
  return createSharedRateLimits({ url, ...options });
}
/**
 * How many connections may wait to be accepted, if the system's own limit allows it (Linux: net.core.somaxconn). With
 * Node's 511 a burst of a thousand new connections would be reset.
 */
const waitingConnectionsMax = 4096;

/** The service with its HTTP surfaces. */
export interface App {
  readonly http: FastifyInstance;
  /** The server of `METRICS_PORT`; null without that port. */
  readonly metricsHttp: FastifyInstance | null;
  readonly services: OpenServices;
  /** Accepts connections and starts the background work. Returns the address, such as `http://127.0.0.1:3000`. */
  listen(): Promise<string>;
  /**
   * Announces the stop and serves for `DRAIN_SECONDS` more: the service is not ready, and each response ends its
   * connection. Callers that watch the readiness send their next requests to another node.
   */
  drain(): Promise<void>;
  /** Waits for requests in flight, then for the background work, then writes buffered data and closes the databases. */
  close(): Promise<void>;
}

/** The composition root: creates all services and registers every surface. It does not listen yet. */
export async function buildApp(config: Config, dependencies: Dependencies): Promise<App> {
  // Imported on demand: commands open the services alone, and the routes are most of the program.
  const [{ createMetricsServer, registerSurfaces }, { startBackground }] = await Promise.all([
    import('./surfaces/all.ts'),
    import('./background.ts'),
  ]);
  // Bound late: the sandbox is one of the services, and it sends to the surfaces, which are created from the services.
  const surface: { http?: FastifyInstance } = {};
  const sendEvent: SendEvent = async ({ body, headers }) => {
    const request = { method: 'POST', url: '/webhooks/sandbox', headers, payload: body } as const;
    return (await surface.http?.inject(request))?.statusCode ?? 503;
  };
  const services = await openServices(config, { sendEvent, ...dependencies });
  const { http, metricsHttp } = await closingOnFailure(services, async () => {
    await services.joinNodes();
    return {
      http: await registerSurfaces(services, dependencies.beforeRoutes),
      metricsHttp: await createMetricsServer(services),
    };
  });
  surface.http = http;
  let background: Background | undefined;
  let announcement: NodeAnnouncement | undefined;
  return {
    http,
    services,
    metricsHttp,
    async listen() {
      // Before the first request, so that no tenant is placed where this node could not open it.
      announcement = await announceNode({ ...services, isOnlyNode: config.databaseUrl === null });
      const address = await http.listen({ host: config.host, port: config.port, backlog: waitingConnectionsMax });
      await listenForMetrics(metricsHttp, config);
      background = startBackground(services);
      services.servedDomains.watch();
      return address;
    },
    async drain() {
      announceStop(http);
      await delay(config.drainMs);
    },
    async close() {
      await Promise.all([http, ...(metricsHttp === null ? [] : [metricsHttp])].map(finishRequests));
      await background?.stop();
      await announcement?.withdraw();
      await services.close();
    },
  };
}

async function listenForMetrics(http: FastifyInstance | null, { host, metricsPort }: Config): Promise<void> {
  if (http === null || metricsPort === null) return;
  try {
    await http.listen({ host, port: metricsPort });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    const message = `Port ${metricsPort} is in use: stop the program that listens on it, or set another METRICS_PORT.`;
    throw new Error(message, { cause: error });
  }
}

async function closingOnFailure<Made>(services: OpenServices, make: () => Promise<Made>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    await services.close();
    throw error;
  }
}
