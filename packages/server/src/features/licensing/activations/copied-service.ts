import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { changedFields, createdFields, recordAudits } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { CopyOptions } from '../licenses/copied-service.ts';
import { leaseJobKind, presentActivation } from './activation.ts';
import { countSeats, createActivationRows, findActivationsById, findHeldBy, updateActivationRow } from './queries.ts';
import { auditOf } from './service.ts';

/** The activations of some licenses before further ones are copied. */
export interface KnownActivations {
  /** The number of active activations by license. */
  readonly taken: ReadonlyMap<string, number>;
  /** The activations that hold one of the fingerprints, even if their lease has ended. */
  readonly held: readonly ActivationsTable[];
  /** The activations with the requested ids. */
  readonly byId: ReadonlyMap<string, ActivationsTable>;
}

/** Reads the state of these licenses, fingerprints and activations. The caller must lock the licenses first. */
export async function readKnown(
  db: Kysely<TenantTables>,
  ids: { readonly licenses: readonly string[]; readonly activations: readonly string[] },
  fingerprints: readonly string[],
  at: Timestamp,
): Promise<KnownActivations> {
  const byId = await findActivationsById(db, ids.activations);
  if (ids.licenses.length === 0) return { taken: new Map(), held: [], byId };
  const taken = await countSeats(db, ids.licenses, at);
  return { taken, held: await findHeldBy(db, ids.licenses, fingerprints), byId };
}

/**
 * Inserts copied activations with their audit records. The caller has locked the licenses and checked their limits, and
 * must call `reserveQuota` at the end of the transaction.
 */
export async function createCopies(
  tx: TenantTransaction,
  outbox: Outbox,
  rows: readonly ActivationsTable[],
  { actor, at, publishes }: CopyOptions,
): Promise<void> {
  if (rows.length === 0) return;
  await createActivationRows(tx, rows);
  const entries = rows.map((row) => {
    const changes = createdFields(row, ['license_id', 'fingerprint', 'name', 'hostname', 'platform']);
    return { ...auditOf(row.id, 'ACTIVATION.CREATED'), changes, at };
  });
  await recordAudits(tx, actor, entries);
  const data = () => rows.map((row) => presentActivation(row, at));
  if (publishes) await outbox.recordAll({ type: 'activation.created', data, requestId: actor.requestId, at });
  const leaseEnds = rows.flatMap(({ lease_expires_at: end }) => (end === null ? [] : [end])).sort();
  outbox.wakeUp(leaseJobKind, leaseEnds[0] ?? null);
}

/** The descriptive columns of an activation. */
const describedColumns = ['name', 'hostname', 'platform', 'ip', 'metadata_json'] as const;

/** Replaces the descriptive columns of an activation, with an audit record. */
export async function describeCopy(
  tx: TenantTransaction,
  before: ActivationsTable,
  after: Pick<ActivationsTable, (typeof describedColumns)[number]>,
  { actor, at }: CopyOptions,
): Promise<void> {
  const { name, hostname, platform, ip, metadata_json } = after;
  await updateActivationRow(tx, before.id, { name, hostname, platform, ip, metadata_json });
  const shown = (row: typeof after) => ({ ...row, metadata: JSON.parse(row.metadata_json) });
  const changes = changedFields(shown(before), shown(after), ['name', 'hostname', 'platform', 'ip', 'metadata']);
  await recordAudits(tx, actor, [{ ...auditOf(before.id, 'ACTIVATION.UPDATED'), changes, at }]);
}
