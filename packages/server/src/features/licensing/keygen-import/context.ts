import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { findTenantRecord, tenantOf } from '../../../tenancy/tenant-record.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { Definitions } from '../entitlements/grants.ts';
import type { Counts, Finding, Note, Result } from './finding.ts';
import type { MappedPolicy } from './policy-mapping.ts';
import type { KeygenSource } from './resource.ts';
import type { WorkingFile } from './working-file.ts';

/** The options of the operator. */
export interface ImportOptions {
  readonly isDryRun: boolean;
  /** True to let Keygen's state replace resources that changed in both services. */
  readonly overwrites: boolean;
  /** True to publish events for the imported resources. */
  readonly publishes: boolean;
  /** False to skip the request per license that reads its own entitlements. */
  readonly readsLicenseEntitlements: boolean;
}

/** A policy that licenses of Keygen refer to. */
export interface KnownPolicy extends Pick<MappedPolicy, 'maxMachines' | 'limits' | 'maintains'> {
  /** Our policy; in a dry run as it would be. */
  readonly row: PoliciesTable;
  /** The codes of the entitlements that Keygen's policy grants. */
  readonly codes: ReadonlySet<string>;
}

/** How many resources the plan still allows; null is unlimited. */
export interface Allowance {
  products: number | null;
  licenses: number | null;
  activations: number | null;
}

/** The state of one run. */
export interface ImportRun {
  readonly services: Services;
  readonly actor: Actor;
  readonly tenantId: string;
  /** The tenant's, at the start of the import. */
  readonly timezone: string;
  readonly source: KeygenSource;
  readonly options: ImportOptions;
  readonly file: WorkingFile;
  readonly signal: AbortSignal;
  readonly allowance: Allowance;
  /** Our ids of the products of Keygen, by Keygen's id. */
  readonly products: Map<string, string>;
  /** The policies of Keygen, by Keygen's id. */
  readonly policies: Map<string, KnownPolicy>;
  /** The codes of the entitlements of Keygen, by Keygen's id. */
  readonly entitlements: Map<string, string>;
  /** The entitlements of the tenant; in a dry run as they would be. */
  readonly definitions: Map<string, Definitions extends ReadonlyMap<string, infer Definition> ? Definition : never>;
  readonly counts: Record<string, Counts>;
  readonly report: (finding: Finding) => void;
  /** Called after each batch. `total` is null if it is unknown. */
  readonly progress: (collection: string, done: number, total: number | null) => void;
}

/** Runs `work` with the tenant. Reads the tenant each time, because it may be moved or get another plan meanwhile. */
export async function withTenant<Value>(
  { services, tenantId }: Pick<ImportRun, 'services' | 'tenantId'>,
  work: (tenant: Tenant) => Promise<Value>,
): Promise<Value> {
  const record = await findTenantRecord(services.platform, tenantId);
  if (record === undefined) throw new AppError('TENANT.NOT_FOUND', 'There is no such tenant. Check --tenant.');
  if (record.status === 'closed')
    throw new AppError('TENANT.STATUS.CLOSED', 'The tenant is closed. Choose another one with --tenant.');
  return await services.tenants.withTenantDb(tenantId, (db) => work(tenantOf(record, db)));
}

/** What the import did with one resource. */
export interface ResourceOutcome {
  readonly id: string;
  /** Absent for a collection that is only reported. */
  readonly result?: Result;
  readonly notes: readonly Note[];
}

/** Adds the outcomes of a committed batch to the counts and the report. */
export function publishOutcomes(run: ImportRun, resource: string, outcomes: readonly ResourceOutcome[]): void {
  for (const { id, result, notes } of outcomes) {
    if (result !== undefined) count(run, resource, result);
    for (const note of notes) addFinding(run, { resource, id, ...note });
  }
}

/** Reports a finding, and counts it if no result of its resource is counted. */
export function addFinding(run: ImportRun, finding: Finding): void {
  const { outcome, resource } = finding;
  if (outcome === 'missing' || outcome === 'adjusted' || outcome === 'left_out') count(run, resource, outcome);
  run.report(finding);
}

function count({ counts }: ImportRun, resource: string, name: keyof Counts): void {
  const known = counts[resource] ?? {};
  counts[resource] = { ...known, [name]: (known[name] ?? 0) + 1 };
}

/** Where a batch reads: the database of a dry run, or the transaction of an import. */
export interface BatchAccess {
  readonly db: Kysely<TenantTables>;
  readonly at: Timestamp;
  /** Null in a dry run. */
  readonly write: { readonly tx: TenantTransaction; readonly outbox: Outbox; readonly tenant: Tenant } | null;
}
