/**
 * Bulk data on both engines: copies of one license that the service created, and of its activation, so that a copy has
 * all columns of the tables. Ids, keys and fingerprints are derived from the number of a copy.
 */
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { CreatePolicy } from '../packages/server/src/features/licensing/policies/schemas.ts';
import { tenantFile } from '../packages/server/src/tenancy/placement.ts';
import { findTenantRecord } from '../packages/server/src/tenancy/tenant-record.ts';
import { type Program, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  raiseCeilings,
  readTemplates,
  type Site,
  type Templates,
  withSite,
} from './site.ts';

const idOf = (prefix: string) => `'${prefix}-0000-7000-8000-' || substr(cast(1000000000000 + n as text), 2)`;

/** Scrambles a number below 2^32, so that consecutive copies have distant keys in the index. */
const scramble = 2_654_435_761n;
const keyRange = 4_294_967_296n;
const keyBase = 10_000_000_000n;

/** Returns what to send for copy `n` of a license. Its key is as long as a generated one. */
export function copyOf(n: number): Pick<Applicant, 'licenseKey' | 'fingerprint' | 'activationId'> {
  return {
    licenseKey: `BENCH-COPY-OF-LICENSE-${((BigInt(n) * scramble) % keyRange) + keyBase}`,
    fingerprint: `bench-device-${n}`,
    activationId: `01900001-0000-7000-8000-${String(n).padStart(12, '0')}`,
  };
}

/** A row in the form of the database. */
type Template = object & { readonly id: string };

/** Builds `insert into … select …` of `count` copies of a row; `own` overrides columns with SQL over the number `n`. */
function insertCopies(table: string, template: Template, own: Readonly<Record<string, string>>, count: number): string {
  const columns = Object.keys(template);
  const values = columns.map((column) => own[column] ?? `template."${column}"`);
  return `
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
    insert into ${table} (${columns.map((column) => `"${column}"`).join(', ')})
    select ${values.join(', ')}
    from ${table} as template cross join numbers where template.id = '${template.id}'`;
}

/** Returns SQL that copies a license and its activation `count` times, numbered from 1. */
export function licenseCopies({ license, activation }: Templates, count: number): string[] {
  const id = idOf('01900000');
  const key = `'BENCH-COPY-OF-LICENSE-' || cast((n * ${scramble}) % ${keyRange} + ${keyBase} as text)`;
  const device = { id: idOf('01900001'), license_id: id, fingerprint: "'bench-device-' || cast(n as text)" };
  return [
    insertCopies('licenses', license, { id, key }, count),
    insertCopies('activations', activation, device, count),
  ];
}

/** Returns SQL that copies an event, and its delivery to each of its endpoints, `count` times. */
export function deliveryCopies(event: Template, deliveries: readonly Template[], count: number): string[] {
  const eventId = idOf('01900002');
  return [
    insertCopies('events', event, { id: eventId }, count),
    ...deliveries.map((delivery, index) => {
      const own = { event_id: eventId, id: idOf(`019001${String(index).padStart(2, '0')}`) };
      return insertCopies('webhook_deliveries', delivery, own, count);
    }),
  ];
}

/**
 * Sends statements directly to a tenant's database, which the service must not have open: without flushes and, on the
 * embedded engine, with the indexes built at the end. A million licenses take seconds.
 */
export async function fillTenant(site: Site, tenantId: string, statements: readonly string[]): Promise<void> {
  const { DATABASE_URL: databaseUrl } = site.env;
  if (databaseUrl === undefined) return fillFile(tenantFile(site.dataDir, tenantId), statements);
  const record = await withSite(site, async ({ platform }) => findTenantRecord(platform, tenantId));
  const url = new URL(databaseUrl);
  url.pathname = `/${record?.database_name}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    for (const statement of [...statements, 'analyze']) await client.query(statement);
  } finally {
    await client.end();
  }
}

function fillFile(file: string, statements: readonly string[]): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    database.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA temp_store = MEMORY;
      BEGIN`);
    const indexes = database
      .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
      .all();
    for (const { name } of indexes) database.exec(`drop index "${name}"`);
    for (const statement of statements) database.exec(statement);
    for (const { sql } of indexes) database.exec(String(sql));
    database.exec('COMMIT; PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}

const crowdTenants = 3;
const licensesPerTenant = 300;

/** How the rows name this load. */
export const crowdName = `${licensesPerTenant} licenses × ${crowdTenants} tenants`;

/**
 * Creates tenants with activated licenses: real traffic instead of one license over and over. Each tenant has its own
 * API key. In the returned order consecutive applicants differ in tenant and license.
 */
async function createCrowd(site: Site, policy: Partial<CreatePolicy>): Promise<Applicant[]> {
  const originals = await withSite(site, async (services) => {
    await createAdmin(services);
    const created: { applicant: Applicant; templates: Templates }[] = [];
    for (let tenant = 1; tenant <= crowdTenants; tenant += 1) {
      const applicant = await createApplicant(services, `Crowd ${tenant}`, policy);
      created.push({ applicant, templates: await readTemplates(services, applicant) });
    }
    return created;
  });
  for (const { applicant, templates } of originals) {
    await fillTenant(site, applicant.tenantId, licenseCopies(templates, licensesPerTenant));
  }
  const copies = Array.from({ length: licensesPerTenant }, (_, index) => copyOf(index + 1));
  return copies.flatMap((copy) => originals.map(({ applicant }) => ({ ...applicant, ...copy })));
}

/** Starts a service for a crowd of applicants on an empty site. */
export async function serveCrowd(site: Site, policy: Partial<CreatePolicy> = {}, program?: Program) {
  const crowd = await createCrowd(site, policy);
  const [first] = crowd;
  if (first === undefined) throw new Error('There is nobody to ask for.');
  const server = await startService(site, {}, program);
  await raiseCeilings(server.port, tenantsOf(crowd));
  return { server, crowd, first };
}

/** Returns the ids of the tenants of a crowd. */
export function tenantsOf(crowd: readonly Applicant[]): string[] {
  return [...new Set(crowd.map(({ tenantId }) => tenantId))];
}
