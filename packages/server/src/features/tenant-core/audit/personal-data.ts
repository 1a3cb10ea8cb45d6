import type { Kysely } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { AuditLogsTable } from '../../../db/tables/shared-tables.ts';
import {
  addressesOf,
  type Person,
  type PersonalData,
  type PersonalRows,
  personalRows,
  personalRowsMax,
  positionAfter,
  type TenantPersonalData,
} from '../personal-data/personal-data.ts';
import type { FieldChange, WithAuditLogs } from './audit.ts';
import { erased } from './erasure.ts';

/** The person's records in the platform's audit log. Erasure keeps the records and pseudonymises them. */
export const auditPersonalData: PersonalData = {
  section: 'audit_records',
  tables: ['audit_logs', 'audit_outbox'],
  read: ({ platform }, person, after) => readOwnRecords(platform.query as never, person, after),
  async eraseBefore({ platform }, person) {
    await pseudonymise(platform as never, person);
  },
  // `eraseBefore` did it all. Outbox rows were copied to the tenants' logs before those logs were pseudonymised.
  async erase() {},
};

/** The person's records in a tenant's audit log. Erasure keeps the records and pseudonymises them. */
export const tenantAuditPersonalData: TenantPersonalData = {
  record: 'audit_record',
  read: ({ query }, person, after) => readOwnRecords(query as never, person, after),
  erase: (db, person) => pseudonymise(db as never, person),
};

async function readOwnRecords(db: Kysely<WithAuditLogs>, { id }: Person, after: string | null): Promise<PersonalRows> {
  const records = db
    .selectFrom('audit_logs')
    .select(['id', 'occurred_at', 'event', 'resource_type', 'resource_id', 'request_id', 'ip', 'changes_json'])
    .where('actor_id', '=', id)
    .where('actor_type', '=', 'user')
    .where((eb) => eb(eb.refTuple('occurred_at', 'id'), '>', eb.tuple(...positionAfter(after))))
    .orderBy('occurred_at')
    .orderBy('id')
    .limit(personalRowsMax);
  const page = personalRows(await records.execute(), (row) => row.occurred_at);
  return {
    ...page,
    rows: page.rows.map((row) => {
      const { changes_json, ...rest } = row as AuditLogsTable;
      return { ...rest, changes: JSON.parse(changes_json) };
    }),
  };
}

/**
 * Removes a person's identifying data from all audit records by or about that person. It reads every record, in pages
 * by time, because other actors may have recorded the person's address, which no index contains. Returns whether any
 * record was changed.
 */
async function pseudonymise(db: Database<WithAuditLogs>, person: Person): Promise<boolean> {
  let found = false;
  let after: Pick<AuditLogsTable, 'occurred_at' | 'id'> = { occurred_at: '', id: '' };
  for (;;) {
    const { occurred_at, id } = after;
    const page = await db.query
      .selectFrom('audit_logs')
      .selectAll()
      .where((eb) => eb(eb.refTuple('occurred_at', 'id'), '>', eb.tuple(occurred_at, id)))
      .orderBy('occurred_at')
      .orderBy('id')
      .limit(personalRowsMax)
      .execute();
    const changed = page.map((row) => withoutPerson(row, person)).filter((row) => row !== undefined);
    if (changed.length > 0) {
      found = true;
      await db.transaction(async (tx) => {
        for (const row of changed) {
          const { ip, changes_json } = row;
          await tx.updateTable('audit_logs').set({ ip, changes_json }).where('id', '=', row.id).execute();
        }
      });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < personalRowsMax) return found;
    after = last;
  }
}

/** The fields that identify a user; records about the user contain their former values too. */
const ownFields = ['email', 'name'];

/**
 * Returns an audit record without a person's identifying data: the client address of the person's own actions, and the
 * person's name and email address in any field. Returns undefined if nothing had to be changed.
 */
function withoutPerson(row: AuditLogsTable, person: Person): AuditLogsTable | undefined {
  const isAboutPerson = row.resource_id === person.id;
  // A failed login has no actor id, but its address is probably the person's.
  const isByPerson =
    row.actor_type === 'user' && (row.actor_id === person.id || (row.actor_id === null && isAboutPerson));
  const text = row.changes_json.toLowerCase();
  const mentions = addressesOf(person).some((address) => text.includes(inJson(address)));
  if (!isByPerson && !isAboutPerson && !mentions) return undefined;
  const changes: FieldChange[] = JSON.parse(row.changes_json);
  const without = changes.map(({ field, old, new: after }) => {
    const isOwn = isAboutPerson && ownFields.includes(field);
    const clean = (value: unknown) => (isOwn && value !== null ? erased : withoutNames(value, person));
    return { field, old: clean(old), new: clean(after) };
  });
  const changed = { ...row, ip: isByPerson ? null : row.ip, changes_json: JSON.stringify(without) };
  return changed.ip === row.ip && changed.changes_json === row.changes_json ? undefined : changed;
}

/** Returns the text as it appears inside a JSON string. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function withoutNames(value: unknown, person: Person): unknown {
  if (typeof value === 'string') {
    const text = value.toLowerCase();
    const isOfPerson = value === person.name || addressesOf(person).some((address) => text.includes(address));
    return isOfPerson ? erased : value;
  }
  if (Array.isArray(value)) return value.map((item) => withoutNames(item, person));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutNames(item, person)]));
}
