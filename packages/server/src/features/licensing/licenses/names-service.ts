import type { TenantDb } from '../../../db/database.ts';

interface NamedLicense {
  readonly id: string;
  readonly key: string;
  readonly holder_name: string | null;
  readonly holder_email: string | null;
  readonly holder_reference: string | null;
}

/** The end of a key is what people read to each other. */
const tailLength = 5;

/** Returns how people recognise a license: its holder and the end of its key, such as `Grace Hopper · …KMPJT`. */
function nameOf({ key, holder_name, holder_email, holder_reference }: NamedLicense): string {
  return `${holder_name ?? holder_email ?? holder_reference ?? 'No customer'} · …${key.slice(-tailLength)}`;
}

/** Returns the names of licenses by id, deleted ones too: their rows stay. */
export async function readLicenseNames(
  { query }: TenantDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await query
    .selectFrom('licenses')
    .select(['id', 'key', 'holder_name', 'holder_email', 'holder_reference'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, nameOf(row)]));
}

interface AuditedResource {
  readonly resource_type: string;
  readonly resource_id: string | null;
}

/** Returns the names of the licenses that audit records are about, by the id of the license or of its activation. */
export async function nameAuditedLicenses(
  db: TenantDb,
  records: readonly AuditedResource[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (type: string) =>
    records.flatMap(({ resource_type, resource_id: id }) => (resource_type === type && id !== null ? [id] : []));
  const licenses = idsOf('license');
  const activationIds = [...new Set(idsOf('activation'))];
  const activations =
    activationIds.length === 0
      ? []
      : await db.query
          .selectFrom('activations')
          .select(['id', 'license_id'])
          .where('id', 'in', activationIds)
          .execute();
  const names = await readLicenseNames(db, [...licenses, ...activations.map(({ license_id }) => license_id)]);
  const ofActivations = activations.flatMap(({ id, license_id }) => {
    const name = names.get(license_id);
    return name === undefined ? [] : [[id, name] as const];
  });
  return new Map([...names, ...ofActivations]);
}
