import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadOrCreateAppKey } from './app-key.ts';
import { loadConfig } from './config.ts';
import { problemsOf } from './config-problems.fixture.ts';

const goodKey = '0123456789abcdefghijklmnopqrstuvwxyz';
const databaseUrl = 'postgres://app:hunter2secret@db.example.com/licensing';

const stripe = { PAYMENT_PROVIDER: 'stripe', STRIPE_SECRET_KEY: 'sk_test_abc', STRIPE_WEBHOOK_SECRET: 'whsec_abc' };

const oidc = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'licensing', OIDC_CLIENT_SECRET: 'secret' };

describe('loadConfig', () => {
  test('loadConfig has a default for every variable', () => {
    expect(loadConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      dataDir: resolve('./data'),
      appKey: null,
      previousAppKeys: [],
      databaseUrl: null,
      tenantDatabaseUrls: [],
      valkeyUrl: null,
      publicUrl: 'http://127.0.0.1:3000',
      drainMs: 5000,
      trustProxy: [],
      warnings: [],
      corsOrigins: [],
      mailFrom: 'Licensing <licensing@localhost>',
      holderMailsPerDay: 10_000,
      smtp: null,
      adminTwoFactorRequired: false,
      signUp: 'open',
      freeTenantsPerUser: 3,
      oidc: null,
      otlp: null,
      logLevel: 'info',
      logsAddresses: true,
      metricsToken: null,
      metricsPort: null,
      webhookAllowedCidrs: [],
      webhookAllowHttp: false,
      paymentProvider: 'none',
      paymentGraceDays: 7,
      seller: { name: 'Licensing', address: '', taxId: null },
      taxes: { sellerCountry: null, rates: new Map() },
      stripe: null,
      tenantPoolSize: 500,
      tenantConnectionsPerServer: 20,
      adminTokenTtlMs: 12 * 3_600_000,
      userTokenTtlMs: 30 * 24 * 3_600_000,
    });
  });

  test.each([
    [{ PORT: ' 8080 ' }, { port: 8080 }],
    [{ PORT: '' }, { port: 3000 }],
    [
      { ...oidc, OIDC_ISSUER: 'http://[::1]:5000/realm' },
      { oidc: { issuer: 'http://[::1]:5000/realm', signUp: false } },
    ],
    [
      { ...oidc, OIDC_NAME: 'Example ID', OIDC_SIGN_UP: 'true', OIDC_ADMIN_CLAIM: 'role' },
      { oidc: { clientId: 'licensing', name: 'Example ID', signUp: true, adminClaim: 'role' } },
    ],
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0', publicUrl: 'http://localhost:3000' }],
    [{ HOST: '::1' }, { publicUrl: 'http://[::1]:3000' }],
    [{ PUBLIC_URL: 'https://licenses.example.com/' }, { publicUrl: 'https://licenses.example.com' }],
    [{ TRUST_PROXY: 'loopback, 10.0.0.0/8,,' }, { trustProxy: ['loopback', '10.0.0.0/8'] }],
    [
      { WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8, ::1', WEBHOOK_ALLOW_HTTP: 'true' },
      { webhookAllowedCidrs: ['10.0.0.0/8', '::1'], webhookAllowHttp: true },
    ],
    [
      { CORS_ORIGINS: 'https://a.example.com, http://localhost:5173' },
      { corsOrigins: ['https://a.example.com', 'http://localhost:5173'] },
    ],
    [
      { APP_KEY: goodKey, DATABASE_URL: databaseUrl },
      { databaseUrl, tenantDatabaseUrls: [databaseUrl] },
    ],
    [
      {
        APP_KEY: goodKey,
        DATABASE_URL: databaseUrl,
        TENANT_DATABASE_URLS: 'postgres://t@one/x,postgresql://t@two:5433/x',
      },
      { tenantDatabaseUrls: ['postgres://t@one/x', 'postgresql://t@two:5433/x'] },
    ],
    [{ VALKEY_URL: 'rediss://user:p%40ss@valkey:6380/3' }, { valkeyUrl: 'rediss://user:p%40ss@valkey:6380/3' }],
    [{ VALKEY_URL: 'redis://[::1]' }, { valkeyUrl: 'redis://[::1]' }],
    [{ TENANT_DATABASE_URLS: 'postgres://t@one/x' }, { databaseUrl: null, tenantDatabaseUrls: ['postgres://t@one/x'] }],
    [{ MAIL_FROM: 'a@example.com' }, { mailFrom: 'a@example.com' }],
    [{ PAYMENT_PROVIDER: 'sandbox' }, { paymentProvider: 'sandbox', stripe: null }],
    [stripe, { stripe: { secretKey: 'sk_test_abc', webhookSecret: 'whsec_abc', apiUrl: null, calculatesTax: false } }],
    [{ ...stripe, STRIPE_TAX: 'true' }, { stripe: { calculatesTax: true } }],
    [
      { SELLER_COUNTRY: 'DE', SELLER_TAX_ID: 'de 136.695.976', TAX_RATES: 'DE=19, AT=20,CH=8.1,US=8.8875,IE=0' },
      {
        seller: { taxId: 'DE136695976' },
        taxes: {
          sellerCountry: 'DE',
          rates: new Map([
            ['DE', 19],
            ['AT', 20],
            ['CH', 8.1],
            ['US', 8.8875],
            ['IE', 0],
          ]),
        },
      },
    ],
    [{ SELLER_TAX_ID: '12-3456789' }, { seller: { taxId: '12-3456789' } }],
    [{ ...stripe, STRIPE_API_URL: 'http://127.0.0.1:12111' }, { stripe: { apiUrl: 'http://127.0.0.1:12111' } }],
    [
      { ADMIN_TOKEN_TTL_HOURS: '1', USER_TOKEN_TTL_DAYS: '2' },
      { adminTokenTtlMs: 3_600_000, userTokenTtlMs: 172_800_000 },
    ],
    [
      { SIGN_UP: 'invite', FREE_TENANTS_PER_USER: '0' },
      { signUp: 'invite', freeTenantsPerUser: 0 },
    ],
  ])('loadConfig reads %j as %j', (env: NodeJS.ProcessEnv, expected) =>
    expect(loadConfig(env)).toMatchObject(expected),
  );

  test.each([
    [{ PORT: '70000' }, /^PORT must be a whole number/],
    [{ PORT: '80.5' }, /^PORT /],
    [{ PORT: '0x50' }, /^PORT /],
    [{ HOST: 'localhost:3000' }, /^HOST /],
    [{ APP_KEY: 'short' }, /^APP_KEY is too easy to guess/],
    [{ APP_KEY: 'a'.repeat(64) }, /^APP_KEY is too easy to guess/],
    [{ APP_KEY: `${goodKey},${goodKey}` }, /^APP_KEY must contain neither spaces nor commas/],
    [{ APP_PREVIOUS_KEYS: `${goodKey},short` }, /^Key 2 of APP_PREVIOUS_KEYS is too easy/],
    [{ DATABASE_URL: databaseUrl }, /^APP_KEY is required with DATABASE_URL/],
    [{ APP_KEY: goodKey, DATABASE_URL: 'mysql://db/x' }, /^DATABASE_URL must look like/],
    [{ APP_KEY: goodKey, DATABASE_URL: 'nonsense' }, /^DATABASE_URL must look like/],
    [{ TENANT_DATABASE_URLS: 'x' }, /^Entry 1 of TENANT_DATABASE_URLS/],
    [
      {
        APP_KEY: goodKey,
        DATABASE_URL: databaseUrl,
        TENANT_DATABASE_URLS: 'postgres://a@one/x,postgres://b@one:5432/x',
      },
      /lists the server one:5432 twice/,
    ],
    [{ PUBLIC_URL: 'licenses.example.com' }, /^PUBLIC_URL /],
    [{ PUBLIC_URL: 'https://example.com/?a=b' }, /^PUBLIC_URL /],
    [{ PUBLIC_URL: 'https://example.com/licenses/' }, /^PUBLIC_URL must be .* without user, path/],
    [{ TRUST_PROXY: 'true' }, /^TRUST_PROXY must list/],
    [{ WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8,internal' }, /^WEBHOOK_ALLOWED_CIDRS must list .*"internal" is neither/],
    [{ WEBHOOK_ALLOW_HTTP: 'yes' }, /^WEBHOOK_ALLOW_HTTP must be true or false/],
    [{ CORS_ORIGINS: '*' }, /^CORS_ORIGINS must list/],
    [{ CORS_ORIGINS: 'https://*.example.com' }, /^CORS_ORIGINS must list .* List each one, without a path or a \*/],
    [{ CORS_ORIGINS: 'https://a.example.com/path' }, /^CORS_ORIGINS must list/],
    [{ MAIL_FROM: 'nobody' }, /^MAIL_FROM /],
    [{ MAIL_FROM: 'a@b.c\r\nBcc: x@y.z' }, /^MAIL_FROM /],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of fatal, /],
    [{ PAYMENT_PROVIDER: 'paypal' }, /^PAYMENT_PROVIDER must be one of none, sandbox, stripe/],
    [{ ...stripe, STRIPE_SECRET_KEY: 'pk_test_abc' }, /^STRIPE_SECRET_KEY is required/],
    [{ ...stripe, STRIPE_WEBHOOK_SECRET: '' }, /^STRIPE_WEBHOOK_SECRET is required/],
    [{ ...stripe, STRIPE_API_URL: 'http://127.0.0.1/v1' }, /^STRIPE_API_URL must be/],
    [{ ...stripe, STRIPE_TAX: 'yes' }, /^STRIPE_TAX must be true or false/],
    [{ SELLER_COUNTRY: 'Germany' }, /^SELLER_COUNTRY must be .*: "Germany" is not one/],
    [{ SELLER_COUNTRY: 'UK' }, /^SELLER_COUNTRY must be .*: "UK" is not one/],
    [{ SELLER_TAX_ID: 'DE13669597', SELLER_COUNTRY: 'DE' }, /^SELLER_TAX_ID must be a VAT ID of SELLER_COUNTRY \(DE\)/],
    [{ SELLER_TAX_ID: 'DE136695976', SELLER_COUNTRY: 'AT' }, /^SELLER_TAX_ID is a VAT ID of another country \(DE\)/],
    [{ SELLER_TAX_ID: 'x'.repeat(65) }, /^SELLER_TAX_ID must have at most 64 characters/],
    [{ TAX_RATES: 'DE=19' }, /^SELLER_COUNTRY is required with TAX_RATES/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=19,AT' }, /^TAX_RATES must list .*: "AT" is not such an entry/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'DE:19' }, /^TAX_RATES must list .*: "DE:19" is not such an entry/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=-1' }, /^TAX_RATES must list .*: "DE=-1" is not such an entry/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=19%' }, /^TAX_RATES must list .*: "DE=19%" is not such an entry/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=7.12345' }, /^TAX_RATES must list .*: "DE=7.12345" is not such an entry/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=100.1' }, /^TAX_RATES gives DE 100.1 %: a rate is at most 100 %/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'UK=20' }, /^TAX_RATES names the country "UK".*United Kingdom is GB/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'EL=24' }, /^TAX_RATES names the country "EL".*Greece is GR/],
    [{ SELLER_COUNTRY: 'DE', TAX_RATES: 'DE=19,DE=7' }, /^TAX_RATES lists DE twice/],
    [{ DRAIN_SECONDS: '301' }, /^DRAIN_SECONDS /],
    [{ TENANT_POOL_SIZE: '0' }, /^TENANT_POOL_SIZE /],
    [{ VALKEY_URL: 'valkey.example.com' }, /^VALKEY_URL must look like redis:/],
    [{ VALKEY_URL: 'http://valkey.example.com' }, /^VALKEY_URL must look like redis:/],
    [{ VALKEY_URL: 'redis:///0' }, /^VALKEY_URL must look like redis:/],
    [{ VALKEY_URL: 'redis://valkey:6379/0?timeout=1' }, /^VALKEY_URL must look like redis:/],
    [{ VALKEY_URL: 'redis://:%zz@valkey' }, /^VALKEY_URL must look like .*percent-encoded/],
    [{ VALKEY_URL: 'redis://valkey/limits' }, /^VALKEY_URL must end with the number of a database/],
    [{ VALKEY_URL: 'redis://user@valkey' }, /^VALKEY_URL contains a user but no password/],
    [{ TENANT_CONNECTIONS_PER_SERVER: '1' }, /^TENANT_CONNECTIONS_PER_SERVER must be a whole number from 2 /],
    [{ DATABASE_URL: `${databaseUrl}?pooling=statement`, APP_KEY: goodKey }, /^DATABASE_URL .*session or transaction/],
    [{ SMTP_URL: 'http://x' }, /^SMTP_URL must look like smtp:/],
    [{ METRICS_TOKEN: 'short' }, /^METRICS_TOKEN must have at least 16 characters/],
    [{ METRICS_PORT: '70000' }, /^METRICS_PORT must be a whole number/],
    [{ METRICS_PORT: '3000' }, /^METRICS_PORT must differ from PORT/],
    [{ OIDC_CLIENT_ID: 'x' }, /^OIDC_CLIENT_ID has no effect without OIDC_ISSUER/],
    [{ ...oidc, OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER must be an https URL/],
    [{ ...oidc, OIDC_ISSUER: 'https://login.example.com/?a=b' }, /^OIDC_ISSUER must be an https URL/],
    [{ ...oidc, OIDC_CLIENT_ID: '' }, /^OIDC_CLIENT_ID is required with OIDC_ISSUER/],
    [{ ...oidc, OIDC_CLIENT_SECRET: '' }, /^OIDC_CLIENT_SECRET is required with OIDC_ISSUER/],
    [{ ...oidc, PUBLIC_URL: 'http://licenses.example.com' }, /^PUBLIC_URL must be an https URL with OIDC_ISSUER/],
    [{ ...oidc, OIDC_NAME: 'x'.repeat(41) }, /^OIDC_NAME must have at most 40/],
    [{ ...oidc, OIDC_SIGN_UP: 'yes' }, /^OIDC_SIGN_UP must be true or false/],
    [{ SIGN_UP: 'closed' }, /^SIGN_UP must be open, invite or off/],
    [{ ADMIN_TWO_FACTOR: 'yes' }, /^ADMIN_TWO_FACTOR must be optional or required/],
  ])('loadConfig rejects %j with %s', (env: NodeJS.ProcessEnv, sentence) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(sentence)]);
  });

  test('loadConfig reports every mistake at once', () => {
    expect(problemsOf({ PORT: 'x', LOG_LEVEL: 'x', MAIL_FROM: 'x', SMTP_URL: 'x' })).toHaveLength(4);
  });

  test('loadConfig repeats no secret in its error messages', () => {
    const sentences = problemsOf({
      APP_KEY: 'tinysecret',
      APP_PREVIOUS_KEYS: 'oldsecret',
      DATABASE_URL: 'mysql://app:hunter2secret@db/x',
      TENANT_DATABASE_URLS: 'mysql://app:hunter2secret@db/x',
      PUBLIC_URL: 'https://user:hunter2secret@example.com',
      CORS_ORIGINS: 'https://user:hunter2secret@example.com',
      SMTP_URL: 'smtp://user:hunter2secret@mail',
      VALKEY_URL: 'redis://user:hunter2secret@valkey/x',
      PAYMENT_PROVIDER: 'stripe',
      STRIPE_SECRET_KEY: 'secret',
      STRIPE_WEBHOOK_SECRET: 'hunter2secret',
    }).join('\n');
    expect(sentences).not.toContain('secret');
  });

  test('the loaded configuration is frozen', () => {
    const config = loadConfig({ TRUST_PROXY: 'loopback' });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.trustProxy)).toBe(true);
  });
});

describe('loadOrCreateAppKey', () => {
  const folder = mkdtempSync(join(tmpdir(), 'app-key-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('loadOrCreateAppKey creates a key at the first start and keeps it, readable only by its owner', () => {
    const dataDir = join(folder, 'new', 'data');
    const key = loadOrCreateAppKey(dataDir);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(loadOrCreateAppKey(dataDir)).toBe(key);
    expect(readFileSync(join(dataDir, 'app.key'), 'utf8')).toBe(`${key}\n`);
    expect(statSync(join(dataDir, 'app.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['app.key']);
  });

  test.each([0o640, 0o604, 0o660])('loadOrCreateAppKey rejects a key file with mode %o', (mode) => {
    const dataDir = mkdtempSync(join(folder, 'open-'));
    loadOrCreateAppKey(dataDir);
    chmodSync(join(dataDir, 'app.key'), mode);
    expect(() => loadOrCreateAppKey(dataDir)).toThrow(/Other users can read the application key in .*chmod 600/);
  });

  test('loadOrCreateAppKey rejects a damaged key file instead of creating a new key', () => {
    const dataDir = mkdtempSync(join(folder, 'damaged-'));
    writeFileSync(join(dataDir, 'app.key'), '', { mode: 0o600 });
    expect(() => loadOrCreateAppKey(dataDir)).toThrow(/is too easy to guess/);
  });
});
