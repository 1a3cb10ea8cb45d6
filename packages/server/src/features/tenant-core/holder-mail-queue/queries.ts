import type { Kysely } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { HolderMailSwitch, HolderMailType } from './holder-mail.ts';
import type { MailLanguage } from './language.ts';

/** Far below the limits of parameters per statement: 32,766 on SQLite and 65,535 on PostgreSQL. */
const rowsPerStatement = 50;

/** Returns the switches of these types. */
export function listSwitches(tx: TenantTransaction, types: readonly HolderMailType[]): Promise<HolderMailSwitch[]> {
  return tx
    .selectFrom('holder_mail_switches')
    .select(['product_id', 'type', 'is_on'])
    .where('type', 'in', types)
    .execute();
}

/** Inserts mails, except those whose event has a mail already. Returns how many were inserted. */
export async function insertNewMails(tx: TenantTransaction, rows: readonly HolderMailsTable[]): Promise<number> {
  let inserted = 0;
  for (const batch of batchesOf(rows, rowsPerStatement)) {
    const result = await tx
      .insertInto('holder_mails')
      .values(batch)
      .onConflict((conflict) => conflict.column('event').doNothing())
      .executeTakeFirst();
    inserted += Number(result.numInsertedOrUpdatedRows ?? 0n);
  }
  return inserted;
}

/** Returns all switches. */
export function listAllSwitches(db: Kysely<TenantTables>): Promise<HolderMailSwitch[]> {
  return db.selectFrom('holder_mail_switches').selectAll().orderBy('product_id').orderBy('type').execute();
}

/** Returns all switches, with their rows locked until the transaction ends. */
export function lockAllSwitches(tx: TenantTransaction): Promise<HolderMailSwitch[]> {
  const all = tx.selectFrom('holder_mail_switches').selectAll().orderBy('product_id').orderBy('type');
  return forUpdate(tx, all).execute();
}

type SwitchKey = Omit<HolderMailSwitch, 'is_on'>;

/** Sets a switch. */
export async function writeSwitch(tx: TenantTransaction, row: HolderMailSwitch): Promise<void> {
  await tx
    .insertInto('holder_mail_switches')
    .values(row)
    .onConflict((conflict) => conflict.columns(['product_id', 'type']).doUpdateSet({ is_on: row.is_on }))
    .execute();
}

/** Removes a switch, if it is set. */
export async function removeSwitch(tx: TenantTransaction, { product_id, type }: SwitchKey): Promise<void> {
  const removal = tx.deleteFrom('holder_mail_switches').where('product_id', '=', product_id);
  await removal.where('type', '=', type).execute();
}

/** Deletes up to `limit` mails to a folded address. Returns how many. */
export async function deleteMailsTo(tx: TenantTransaction, recipient: string, limit: number): Promise<number> {
  const some = tx.selectFrom('holder_mails').select('id').where('recipient', '=', recipient).limit(limit);
  const result = await tx.deleteFrom('holder_mails').where('id', 'in', some).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Returns the languages of those of the folded addresses whose language is known. */
export async function listLanguages(
  { query }: TenantDb,
  emails: readonly string[],
): Promise<ReadonlyMap<string, MailLanguage>> {
  if (emails.length === 0) return new Map();
  const rows = await query.selectFrom('holder_languages').selectAll().where('email', 'in', emails).execute();
  return new Map(rows.map(({ email, language }) => [email, language]));
}

/** Stores the language of a folded address. */
export async function writeLanguage(tx: TenantTransaction, email: string, language: MailLanguage): Promise<void> {
  await tx
    .insertInto('holder_languages')
    .values({ email, language })
    .onConflict((conflict) => conflict.column('email').doUpdateSet({ language }))
    .execute();
}

/** Returns when the newest mail to each folded address was created. */
export async function findLastMailTimes(
  { query }: TenantDb,
  recipients: readonly string[],
): Promise<ReadonlyMap<string, Timestamp>> {
  if (recipients.length === 0) return new Map();
  const rows = await query
    .selectFrom('holder_mails')
    .select(({ fn }) => ['recipient', fn.max('created_at').as('at')])
    .where('recipient', 'in', recipients)
    .groupBy('recipient')
    .execute();
  return new Map(rows.map(({ recipient, at }) => [recipient, at]));
}

/** The values of mails to customers, such as codes and links. */
export const sealedHolderMails: SealedColumn<TenantTables> = {
  table: 'holder_mails',
  column: 'sealed_values',
  key: ['id'],
  what: 'values of mails to customers',
};
