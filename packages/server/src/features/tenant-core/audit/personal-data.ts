import type { Kysely } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { AuditLogsTable } from '../../../db/tables/audit-logs.ts';
import {
  type Person,
  type PersonalData,
  type PersonalRows,
  personalRows,
  personalRowsMax,
  positionAfter,
  type TenantPersonalData,
} from '../personal-data/personal-data.ts';
import type { WithAuditLogs } from './audit.ts';
import { withoutPerson } from './pseudonym.ts';

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
