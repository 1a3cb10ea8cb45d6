import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type OpenServices, openServices } from '../packages/server/src/app.ts';
import { loadConfig } from '../packages/server/src/config/config.ts';
import type { ActivationsTable, LicensesTable } from '../packages/server/src/db/tables/tenant/licenses.ts';
import { createAdminWithPassword } from '../packages/server/src/features/accounts/admins/service.ts';
import { issueApiKey } from '../packages/server/src/features/accounts/api-keys/service.ts';
import { createTenant } from '../packages/server/src/features/accounts/tenants/service.ts';
import { activate } from '../packages/server/src/features/licensing/activations/service.ts';
import { createEntitlement } from '../packages/server/src/features/licensing/entitlements/service.ts';
import { createLicense } from '../packages/server/src/features/licensing/licenses/service.ts';
import type { CreatePolicy } from '../packages/server/src/features/licensing/policies/schemas.ts';
import { createPolicy } from '../packages/server/src/features/licensing/policies/service.ts';
import { createProduct } from '../packages/server/src/features/licensing/products/service.ts';
import { systemActor, type Tenant } from '../packages/server/src/tenancy/tenant.ts';
import { findTenantRecord, limitsOf } from '../packages/server/src/tenancy/tenant-record.ts';
import { countedUsage, type Request, renewedActivation, validVerdict } from './load.ts';

/** The data of one benchmark: an embedded folder, or databases on PostgreSQL. */
export interface Site {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** What an application knows: its license, its device and the API key. */
export interface Applicant {
  readonly tenantId: string;
  readonly apiKey: string;
  readonly licenseKey: string;
  readonly fingerprint: string;
  readonly activationId: string;
}

export interface Templates {
  readonly license: LicensesTable;
  readonly activation: ActivationsTable;
}

/** The code of the metered entitlement. */
const meteredCode = 'renders';

/** Entitlements of every benchmark tenant. The usual policy grants the first two, which need no counter. */
const entitlements = [
  { code: 'export', name: 'Export', type: 'boolean' },
  { code: 'seats', name: 'Seats', type: 'value' },
  { code: meteredCode, name: 'Renders', type: 'metered' },
] as const;

/** A lease, and one entitlement of each type; the limit of the metered one is never reached. */
export const leasedAndMetered: Partial<CreatePolicy> = {
  lease_seconds: 86_400,
  entitlements: [
    { code: 'export' },
    { code: 'seats', value: 10 },
    { code: meteredCode, limit: 1_000_000_000_000, reset: 'month' },
  ],
};

const admin = { email: 'bench@example.com', password: 'a password for one benchmark' };

/** Creates an empty embedded site, or one with its databases on PostgreSQL. */
export async function createSite(databaseUrl?: string): Promise<Site> {
  const dataDir = await mkdtemp(join(tmpdir(), 'licensing-bench-'));
  const env = {
    DATA_DIR: dataDir,
    APP_KEY: 'bench-application-key-0123456789abcdef',
    TENANT_POOL_SIZE: '2500',
    DRAIN_SECONDS: '0',
  };
  return {
    dataDir,
    env: databaseUrl === undefined ? env : { ...env, DATABASE_URL: databaseUrl },
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** Runs `work` on a site's data with the service's own functions, as the command line does. */
export async function withSite<Result>(site: Site, work: (services: OpenServices) => Promise<Result>): Promise<Result> {
  const services = await openServices(loadConfig(site.env), { logger: pino({ level: 'warn' }) });
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

export async function createAdmin(services: OpenServices): Promise<void> {
  await createAdminWithPassword(services, systemActor, { ...admin, name: 'Bench', role: 'super_admin' });
}

/**
 * Creates a tenant with a product, a policy that requires activation, a license, its activation, and an API key.
 * `policyFields` override the usual fields of the policy.
 */
export async function createApplicant(
  services: OpenServices,
  name: string,
  policyFields: Partial<CreatePolicy> = {},
): Promise<Applicant> {
  const tenantId = await createTenant(services, systemActor, { name });
  const record = await findTenantRecord(services.platform, tenantId);
  if (record === undefined) throw new Error('The new tenant is not there.');
  const { key: apiKey } = await issueApiKey(services, record, systemActor, { name: 'Bench' });
  const license = await openTenant(services, tenantId, (tenant) => createActiveLicense(services, tenant, policyFields));
  return { tenantId, apiKey, ...license };
}

/** Runs `work` on a tenant. */
export async function openTenant<Result>(
  services: OpenServices,
  tenantId: string,
  work: (tenant: Tenant) => Promise<Result>,
): Promise<Result> {
  const record = await findTenantRecord(services.platform, tenantId);
  if (record === undefined) throw new Error('The tenant is not there.');
  const { name } = record;
  return services.tenants.withTenantDb(tenantId, (db) => work({ id: tenantId, name, limits: limitsOf(record), db }));
}

/** Reads the rows of the license and the activation, to copy them in bulk. */
export async function readTemplates(services: OpenServices, { tenantId, licenseKey }: Applicant): Promise<Templates> {
  return services.tenants.withTenantDb(tenantId, async ({ query }) => {
    const license = await query
      .selectFrom('licenses')
      .selectAll()
      .where('key', '=', licenseKey)
      .executeTakeFirstOrThrow();
    const activations = query.selectFrom('activations').selectAll().where('license_id', '=', license.id);
    return { license, activation: await activations.executeTakeFirstOrThrow() };
  });
}

async function createActiveLicense(services: OpenServices, tenant: Tenant, policyFields: Partial<CreatePolicy>) {
  for (const entitlement of entitlements) await createEntitlement(services, tenant, systemActor, entitlement);
  const product = await createProduct(services, tenant, systemActor, { code: 'editor', name: 'Editor' });
  const policy = await createPolicy(services, tenant, systemActor, {
    product_id: product.id,
    code: 'yearly',
    name: 'Yearly',
    duration_days: 365,
    max_activations: 5,
    require_activation: true,
    entitlements: [{ code: 'export' }, { code: 'seats', value: 10 }],
    ...policyFields,
  });
  const license = await createLicense(services, tenant, systemActor, {
    policy_id: policy.id,
    holder: { name: 'Ada Lovelace', email: 'ada@example.com' },
  });
  const fingerprint = 'f4c1a0e2-workstation-7';
  const { row } = await activate(services, tenant, systemActor, license.key, { fingerprint });
  return { licenseKey: license.key, fingerprint, activationId: row.id };
}

/** Returns a validation, as an application sends it. */
export function validateRequest(port: number, { apiKey, licenseKey, fingerprint }: Applicant): Request {
  const body = { product: 'editor', fingerprint };
  return { bytes: integrationRequest(port, apiKey, `/licenses/${licenseKey}/validate`, body), expected: validVerdict };
}

/** Returns the heartbeat of an activation. */
export function heartbeatRequest(port: number, { apiKey, licenseKey, activationId }: Applicant): Request {
  const path = `/licenses/${licenseKey}/activations/${activationId}/heartbeat`;
  return { bytes: integrationRequest(port, apiKey, path, {}), expected: renewedActivation };
}

/** Returns a report of one use of the metered entitlement. */
export function usageRequest(port: number, { apiKey, licenseKey }: Applicant): Request {
  const body = { events: [{ entitlement: meteredCode, quantity: 1 }] };
  return { bytes: integrationRequest(port, apiKey, `/licenses/${licenseKey}/usage`, body), expected: countedUsage };
}

function integrationRequest(port: number, apiKey: string, path: string, fields: object): Buffer {
  const body = JSON.stringify(fields);
  const head = [
    `POST /api/v1/integration${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `X-API-Key: ${apiKey}`,
    'Content-Type: application/json',
    'Accept: application/json',
    'User-Agent: bench/1',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Raises a tenant's ceiling through the Admin API, so that the rate limit counts every request and refuses none. */
export async function raiseCeilings(port: number, tenantIds: readonly string[]): Promise<void> {
  const { access_token: token } = await call(port, 'POST', '/api/auth/login', { ...admin, ability: 'admin' });
  const limits = { integration_requests_per_minute: 10_000_000 };
  for (const id of tenantIds) {
    await call(port, 'PATCH', `/api/v1/admin/tenants/${id}`, { limits }, token);
  }
}

/** Sends a request to the API, and returns its data. */
async function call(
  port: number,
  method: string,
  path: string,
  body: object,
  token = '',
): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`);
  return JSON.parse(text).data;
}

/** Returns one verdict with its envelope, for the responses of the floors. */
export async function fetchVerdict(port: number, { apiKey, licenseKey, fingerprint }: Applicant): Promise<object> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/integration/licenses/${licenseKey}/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ product: 'editor', fingerprint }),
  });
  const answer = (await response.json()) as { data?: { valid: boolean } };
  if (answer.data?.valid !== true) throw new Error(`The license is not valid: ${JSON.stringify(answer)}`);
  return answer;
}
