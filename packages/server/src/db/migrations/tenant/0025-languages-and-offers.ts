import { type Kysely, sql } from 'kysely';
import { replaceKnownValues } from '../schema.ts';

/**
 * Adds the language of a login and of a mail, the language of each holder, and the language of mails to the others. A
 * text that a tenant wrote before there were languages stays the text for all of them. Offers can leave the number of
 * devices to the policy.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('portal_logins').addColumn('language', 'text').execute();
  await db.schema.alterTable('holder_mails').addColumn('language', 'text').execute();
  await db.schema
    .alterTable('holder_mail_settings')
    .addColumn('default_language', 'text', (column) => column.notNull().defaultTo('en'))
    .execute();
  await db.schema
    .createTable('holder_languages')
    .addColumn('email', 'text', (column) => column.primaryKey().notNull())
    .addColumn('language', 'text', (column) => column.notNull())
    .execute();
  for (const language of ['de', 'fr']) {
    await sql`insert into holder_mail_templates (type, subject, body, updated_at)
      select type || ${sql.lit(` ${language}`)}, subject, body, updated_at from holder_mail_templates
      where type not like '% %'`.execute(db);
  }
  await replaceKnownValues(db, 'offers', 'quantity', ['policy', 'seats', 'licenses', 'ignore']);
}
