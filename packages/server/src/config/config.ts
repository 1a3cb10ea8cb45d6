import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { invalidCidrs, isCidr } from '../lib/cidr.ts';
import { appKeyProblem } from './app-key.ts';
import { ConfigError, createEnvironmentReader, type EnvironmentReader } from './environment-reader.ts';
import { misspelledSettings } from './misspelled-settings.ts';
import { type OidcConfig, readOidc } from './oidc-config.ts';
import { type OtlpConfig, readOtlp } from './otlp-config.ts';
import {
  type PaymentProviderName,
  readPaymentProvider,
  readSeller,
  readStripe,
  readTaxes,
  type Seller,
  type StripeConfig,
  type TaxRules,
} from './payment-config.ts';
import { parseSmtpUrl, type SmtpServer, valkeyUrlProblem } from './server-urls.ts';
import { withSecretFiles } from './setting-names.ts';

/** Who can create an account: anyone, only people who accept an invitation, or nobody. */
const signUpModes = ['open', 'invite', 'off'] as const;

/** One of `signUpModes`. */
export type SignUpMode = (typeof signUpModes)[number];

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The validated configuration. Never log it: `appKey`, `metricsToken`, `oidc`, `stripe`, `smtp` and the URLs of databases
 * and Valkey contain secrets.
 */
export interface Config {
  readonly host: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
  /** Absolute path. */
  readonly dataDir: string;
  /** Null without `APP_KEY` on the embedded engine: the key is then in the data directory (`loadOrCreateAppKey`). */
  readonly appKey: string | null;
  readonly previousAppKeys: readonly string[];
  /** The URL of the platform database on PostgreSQL; null: the embedded engine. */
  readonly databaseUrl: string | null;
  /** The servers for tenants' databases, each with another `host:port`; empty: new tenants are files in `dataDir`. */
  readonly tenantDatabaseUrls: readonly string[];
  /** The URL of the Valkey through which nodes share rate limits; null: each node counts alone, in memory. */
  readonly valkeyUrl: string | null;
  /** The URL at which browsers reach the service, without a trailing slash. */
  readonly publicUrl: string;
  /** How long the service serves on after SIGTERM, before it stops accepting connections. */
  readonly drainMs: number;
  /**
   * The proxies whose `X-Forwarded-For` is trusted: addresses, networks, `loopback`, `linklocal`, `uniquelocal`. Empty:
   * the client address is that of the socket.
   */
  readonly trustProxy: readonly string[];
  /** Sentences about variables that nearly have the name of a setting. */
  readonly warnings: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly mailFrom: string;
  /** Null: mails are written as files into the data directory. */
  readonly smtp: SmtpServer | null;
  /** The mails per tenant and day to license holders through `smtp`; 0: no limit. */
  readonly holderMailsPerDay: number;
  /** True: admins without two-factor authentication can only set it up. */
  readonly adminTwoFactorRequired: boolean;
  /** Who can create an account. Single sign-on creates accounts with `open` only. */
  readonly signUp: SignUpMode;
  /** The maximum number of tenants on plans without a price that a user can own and still start another one. */
  readonly freeTenantsPerUser: number;
  /** The provider of single sign-on; null: people log in with passwords only. Contains a secret. */
  readonly oidc: OidcConfig | null;
  /** The collector of traces; null: the service sends none. Contains secrets. */
  readonly otlp: OtlpConfig | null;
  readonly logLevel: (typeof logLevels)[number];
  /** Whether the line of a request in the log has the client's address. */
  readonly logsAddresses: boolean;
  /** The bearer token that `/metrics` requires; null: no token. A secret. */
  readonly metricsToken: string | null;
  /** The port of a second listener that serves only `/metrics`; 0: any free port; null: there is no second listener. */
  readonly metricsPort: number | null;
  /** Non-public networks that webhooks may reach. */
  readonly webhookAllowedCidrs: readonly string[];
  /** True: webhook endpoints may have `http` URLs. */
  readonly webhookAllowHttp: boolean;
  /**
   * The payment provider. `none`: nothing can be bought. `sandbox`: moves no money and accepts test cards from anyone.
   */
  readonly paymentProvider: PaymentProviderName;
  /** Null unless `paymentProvider` is `stripe`. Contains secrets. */
  readonly stripe: StripeConfig | null;
  /** The number of tenant databases that stay open. On PostgreSQL it does not bound the number of connections. */
  readonly tenantPoolSize: number;
  /** The maximum number of connections of this process to each tenant server, for all tenants on it together. */
  readonly tenantConnectionsPerServer: number;
  readonly seller: Seller;
  /** The taxes of the sandbox. Without a seller's country or rates it applies no tax. */
  readonly taxes: TaxRules;
  /** The number of days for which a tenant is served after a payment failed. */
  readonly paymentGraceDays: number;
  readonly adminTokenTtlMs: number;
  readonly userTokenTtlMs: number;
}

const hourMs = 3_600_000;
/** The default of `DRAIN_SECONDS`: long enough for a load balancer to see that the service is not ready. */
export const drainSecondsByDefault = 5;
const proxyNames = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Reads the configuration from environment variables. An empty variable counts as absent. A secret may be in a file
 * whose path is in `<name>_FILE`. Throws one `ConfigError` that lists every mistake.
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const misspelled = misspelledSettings(env);
  const reader = createEnvironmentReader(withSecretFiles(env, problems), problems);
  const host = readHost(reader);
  const port = reader.integer('PORT', { default: 3000, min: 0, max: 65_535 });
  const databaseUrl = readDatabaseUrl(reader);
  const tenantDatabaseUrls = readTenantDatabaseUrls(reader, databaseUrl);
  const paymentProvider = readPaymentProvider(reader);
  const publicUrl = readPublicUrl(reader, host, port);
  const config: Config = {
    host,
    port,
    dataDir: resolve(reader.text('DATA_DIR') ?? './data'),
    appKey: readAppKey(reader, databaseUrl !== null),
    previousAppKeys: readPreviousAppKeys(reader),
    databaseUrl,
    tenantDatabaseUrls,
    valkeyUrl: readValkeyUrl(reader),
    publicUrl,
    drainMs: reader.integer('DRAIN_SECONDS', { default: drainSecondsByDefault, min: 0, max: 300 }) * 1000,
    trustProxy: readTrustProxy(reader),
    warnings: misspelled.warnings,
    corsOrigins: readCorsOrigins(reader),
    mailFrom: readMailFrom(reader),
    smtp: readSmtp(reader),
    holderMailsPerDay: reader.integer('HOLDER_MAILS_PER_DAY', { default: 10_000, min: 0, max: 10_000_000 }),
    adminTwoFactorRequired: readAdminTwoFactor(reader),
    signUp: readSignUp(reader),
    freeTenantsPerUser: reader.integer('FREE_TENANTS_PER_USER', { default: 3, min: 0, max: 1_000 }),
    oidc: readOidc(reader, publicUrl),
    otlp: readOtlp(reader),
    logLevel: readLogLevel(reader),
    logsAddresses: reader.flag('LOG_ADDRESSES', true),
    metricsToken: readMetricsToken(reader),
    metricsPort: readMetricsPort(reader, port),
    webhookAllowedCidrs: readWebhookAllowedCidrs(reader),
    webhookAllowHttp: reader.flag('WEBHOOK_ALLOW_HTTP'),
    paymentProvider,
    stripe: readStripe(reader, paymentProvider),
    tenantPoolSize: reader.integer('TENANT_POOL_SIZE', { default: 500, min: 1, max: 100_000 }),
    tenantConnectionsPerServer: reader.integer('TENANT_CONNECTIONS_PER_SERVER', { default: 20, min: 2, max: 10_000 }),
    seller: readSeller(reader),
    taxes: readTaxes(reader),
    paymentGraceDays: reader.integer('PAYMENT_GRACE_DAYS', { default: 7, min: 0, max: 90 }),
    adminTokenTtlMs: reader.integer('ADMIN_TOKEN_TTL_HOURS', { default: 12, min: 1, max: 8_760 }) * hourMs,
    userTokenTtlMs: reader.integer('USER_TOKEN_TTL_DAYS', { default: 30, min: 1, max: 365 }) * 24 * hourMs,
  };
  problems.push(...misspelled.refused);
  if (problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(config);
}

function readHost(reader: EnvironmentReader): string {
  const host = reader.text('HOST') ?? '127.0.0.1';
  if (isIP(host) === 0 && !/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(host)) {
    reader.problem('HOST must be an IP address or a host name, without a port.');
  }
  return host;
}

function readAppKey(reader: EnvironmentReader, required: boolean): string | null {
  const key = reader.text('APP_KEY');
  if (key !== null) checkAppKey(reader, 'APP_KEY', key);
  else if (required) {
    reader.problem(
      'APP_KEY is required with DATABASE_URL, because all nodes must share it: generate one with "licensing keys generate".',
    );
  }
  return key;
}

function readPreviousAppKeys(reader: EnvironmentReader): readonly string[] {
  const keys = reader.list('APP_PREVIOUS_KEYS');
  for (const [index, key] of keys.entries()) checkAppKey(reader, `Key ${index + 1} of APP_PREVIOUS_KEYS`, key);
  return keys;
}

function checkAppKey(reader: EnvironmentReader, name: string, key: string): void {
  const problem = appKeyProblem(key);
  if (problem !== null) reader.problem(`${name} ${problem}`);
}

function readDatabaseUrl(reader: EnvironmentReader): string | null {
  const url = reader.text('DATABASE_URL');
  if (url !== null && postgresServer(url) === null) {
    reader.problem(
      'DATABASE_URL must look like postgres://user:password@host:5432/database (special characters percent-encoded, ?pooling= only with session or transaction).',
    );
  }
  return url;
}

function readTenantDatabaseUrls(reader: EnvironmentReader, databaseUrl: string | null): readonly string[] {
  const urls = reader.list('TENANT_DATABASE_URLS');
  if (urls.length === 0) return databaseUrl === null ? [] : [databaseUrl];
  const servers = urls.map(postgresServer);
  servers.forEach((server, index) => {
    if (server === null) {
      reader.problem(
        `Entry ${index + 1} of TENANT_DATABASE_URLS must look like postgres://user:password@host:5432/database (?pooling= only with session or transaction).`,
      );
    } else if (servers.indexOf(server) < index) {
      reader.problem(`TENANT_DATABASE_URLS lists the server ${server} twice: list each server once.`);
    }
  });
  return urls;
}

function readValkeyUrl(reader: EnvironmentReader): string | null {
  const url = reader.text('VALKEY_URL');
  const problem = url === null ? null : valkeyUrlProblem(url);
  if (problem !== null) reader.problem(problem);
  return url;
}

/** Returns the `host:port` of a PostgreSQL URL, or null when the text is not a valid PostgreSQL URL. */
function postgresServer(text: string): string | null {
  const url = parseUrl(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol) || url.hostname === '') return null;
  if (!['session', 'transaction'].includes(url.searchParams.get('pooling') ?? 'session')) return null;
  return `${url.hostname}:${url.port || '5432'}`;
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function readPublicUrl(reader: EnvironmentReader, host: string, port: number): string {
  const text = reader.text('PUBLIC_URL');
  if (text === null) return defaultPublicUrl(host, port);
  const url = parseUrl(text);
  if (
    url === null ||
    !isWebUrl(url) ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  ) {
    reader.problem(
      'PUBLIC_URL must be an http or https URL without user, path, query and fragment, like https://licenses.example.com: ' +
        'the pages are served at its root.',
    );
    return text;
  }
  return url.origin;
}

function defaultPublicUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`;
}

function isWebUrl(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

function readTrustProxy(reader: EnvironmentReader): readonly string[] {
  const proxies = reader.list('TRUST_PROXY');
  for (const proxy of proxies) {
    if (!proxyNames.includes(proxy) && !isCidr(proxy)) {
      reader.problem(
        `TRUST_PROXY must list addresses, networks or the names ${proxyNames.join(', ')}: "${proxy}" is not one of them.`,
      );
    }
  }
  return proxies;
}

function readWebhookAllowedCidrs(reader: EnvironmentReader): readonly string[] {
  const cidrs = reader.list('WEBHOOK_ALLOWED_CIDRS');
  for (const index of invalidCidrs(cidrs)) {
    reader.problem(
      `WEBHOOK_ALLOWED_CIDRS must list addresses and networks like 10.0.0.0/8: "${cidrs[index]}" is neither.`,
    );
  }
  return cidrs;
}

function readCorsOrigins(reader: EnvironmentReader): readonly string[] {
  const origins = reader.list('CORS_ORIGINS');
  for (const origin of origins) {
    const url = parseUrl(origin);
    if (url === null || !isWebUrl(url) || url.origin !== origin || origin.includes('*')) {
      reader.problem(
        `CORS_ORIGINS must list origins like https://app.example.com: "${withoutCredentials(origin)}" is not an origin. List each one, without a path or a *.`,
      );
    }
  }
  return origins;
}

function withoutCredentials(text: string): string {
  return text.replace(/\/\/.*@/, '//…@');
}

function readMailFrom(reader: EnvironmentReader): string {
  const from = reader.text('MAIL_FROM') ?? 'Licensing <licensing@localhost>';
  if (!/^([^<>"\r\n]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(from)) {
    reader.problem(
      'MAIL_FROM must be an email address, like licensing@example.com or Licensing <licensing@example.com>.',
    );
  }
  return from;
}

function readSmtp(reader: EnvironmentReader): SmtpServer | null {
  const text = reader.text('SMTP_URL');
  if (text === null) return null;
  const server = parseSmtpUrl(text);
  if (!('problem' in server)) return server;
  reader.problem(server.problem);
  return null;
}

function readAdminTwoFactor(reader: EnvironmentReader): boolean {
  const text = reader.text('ADMIN_TWO_FACTOR') ?? 'optional';
  if (text !== 'optional' && text !== 'required') reader.problem('ADMIN_TWO_FACTOR must be optional or required.');
  return text === 'required';
}

function readSignUp(reader: EnvironmentReader): SignUpMode {
  const text = reader.text('SIGN_UP') ?? 'open';
  const mode = signUpModes.find((candidate) => candidate === text);
  if (mode === undefined) reader.problem('SIGN_UP must be open, invite or off.');
  return mode ?? 'off';
}

/** RFC 6750, section 2.1, defines the characters of a bearer token. */
function readMetricsToken(reader: EnvironmentReader): string | null {
  const token = reader.text('METRICS_TOKEN');
  if (token !== null && !/^[\w.~+/-]{16,}=*$/.test(token)) {
    reader.problem('METRICS_TOKEN must have at least 16 characters: letters, digits and any of -._~+/');
  }
  return token;
}

function readMetricsPort(reader: EnvironmentReader, mainPort: number): number | null {
  const port = reader.optionalInteger('METRICS_PORT', { min: 0, max: 65_535 });
  if (port !== null && port !== 0 && port === mainPort) reader.problem('METRICS_PORT must differ from PORT.');
  return port;
}

function readLogLevel(reader: EnvironmentReader): Config['logLevel'] {
  const text = reader.text('LOG_LEVEL') ?? 'info';
  const level = logLevels.find((candidate) => candidate === text);
  if (level === undefined) reader.problem(`LOG_LEVEL must be one of ${logLevels.join(', ')}.`);
  return level ?? 'info';
}

function deepFreeze(config: Config): Config {
  for (const value of Object.values(config)) Object.freeze(value);
  return Object.freeze(config);
}
