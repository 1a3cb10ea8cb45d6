import { type Kysely, sql } from 'kysely';
import { newId } from '../../../lib/ids.ts';

interface Grant {
  readonly code: string;
  readonly value?: unknown;
  readonly [field: string]: unknown;
}

interface Owner {
  readonly id: string;
  readonly entitlements_json: string;
  readonly created_at: string;
}

type EntitlementType = 'boolean' | 'value' | 'metered';

const batchSize = 500;

/** Before definitions existed any code could be granted; what was written with it tells its type. */
function typeOf(grants: readonly Grant[]): EntitlementType {
  if (grants.some((grant) => grant['limit'] != null || grant['reset'] != null || grant['overage'] != null)) {
    return 'metered';
  }
  return grants.some(({ value }) => value != null && typeof value !== 'boolean') ? 'value' : 'boolean';
}

const tables = ['policies', 'licenses'] as const;

interface GrantingRow extends Owner {
  readonly table: (typeof tables)[number];
  readonly grants: readonly Grant[];
}

async function* grantingRows(db: Kysely<unknown>): AsyncGenerator<GrantingRow> {
  for (const table of tables) {
    const alive = table === 'licenses' ? sql`and deleted_at is null` : sql``;
    for (let after = ''; ; ) {
      const { rows } = await sql<Owner>`select id, entitlements_json, created_at from ${sql.table(table)}
        where id > ${after} and entitlements_json <> '[]' ${alive} order by id limit ${batchSize}`.execute(db);
      for (const row of rows) yield { ...row, table, grants: JSON.parse(row.entitlements_json) };
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
  }
}

interface Definition {
  readonly id: string;
  readonly type: EntitlementType;
}

async function createDefinitions(db: Kysely<unknown>): Promise<ReadonlyMap<string, Definition>> {
  const granted = new Map<string, { readonly samples: Grant[]; readonly since: string }>();
  for await (const { grants, created_at } of grantingRows(db)) {
    for (const grant of grants) {
      const known = granted.get(grant.code) ?? { samples: [], since: created_at };
      if (known.samples.length < batchSize) known.samples.push(grant);
      granted.set(grant.code, known);
    }
  }
  const definitions = new Map<string, Definition>();
  for (const [code, { samples, since }] of granted) {
    const { id, type } = { id: newId(), type: typeOf(samples) };
    definitions.set(code, { id, type });
    await sql`insert into entitlements (id, code, name, type, created_at, updated_at)
      values (${id}, ${code}, ${code}, ${type}, ${since}, ${since})`.execute(db);
  }
  return definitions;
}

/** Makes a definition for every code that a policy or a license grants, and tells each entry its type. */
export async function defineEntitlementsOfBefore(db: Kysely<unknown>): Promise<void> {
  const definitions = await createDefinitions(db);
  for await (const { id, table, grants } of grantingRows(db)) {
    const stored = grants.map((grant) => ({ ...grant, type: definitions.get(grant.code)?.type }));
    await sql`update ${sql.table(table)} set entitlements_json = ${JSON.stringify(stored)} where id = ${id}`.execute(
      db,
    );
    for (const { code } of grants) {
      await sql`insert into entitlement_references (owner_id, entitlement_id)
        values (${id}, ${definitions.get(code)?.id})`.execute(db);
    }
  }
}
