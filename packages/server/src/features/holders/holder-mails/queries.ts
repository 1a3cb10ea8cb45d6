import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type {
  HolderMailSettingsTable,
  HolderMailsTable,
  HolderMailTemplatesTable,
} from '../../../db/tables/tenant/holder-mails.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { paginate } from '../../../http/cursor.ts';
import { foldEmail } from '../../../lib/email.ts';
import { publishedReleaseId } from '../../releases/releases/published.ts';
import type { HolderMailsQuery } from './schemas.ts';
import type { MailedLicense } from './values.ts';

const equalFilters = ['type', 'state', 'license_id'] as const;

/** Returns a page of mails, newest first. */
export function listMails({ query: db }: TenantDb, filters: HolderMailsQuery): Promise<HolderMailsTable[]> {
  let query = db.selectFrom('holder_mails').selectAll();
  for (const column of equalFilters) {
    const value = filters[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (filters.recipient !== undefined) query = query.where('recipient', '=', foldEmail(filters.recipient));
  return paginate(query, filters).execute();
}

/** Returns licenses, deleted ones too, with what their mails need of their products and policies. */
export async function listMailedLicenses(
  db: TenantDb['query'] | TenantTransaction,
  ids: readonly string[],
): Promise<MailedLicense[]> {
  const rows = await db
    .selectFrom('licenses')
    .innerJoin('products', 'products.id', 'licenses.product_id')
    .innerJoin('policies', 'policies.id', 'licenses.policy_id')
    .select([
      'licenses.id',
      'licenses.key',
      'licenses.status',
      'licenses.holder_name',
      'licenses.holder_email',
      'licenses.expires_at',
      'licenses.maintenance_expires_at',
      'licenses.max_activations',
      'licenses.order_number',
      'licenses.last_validated_at',
      'licenses.deleted_at',
      'products.name as product_name',
      'products.renewal_url',
      'products.trial_policy_id',
      'licenses.policy_id',
      'policies.name as policy_name',
      'policies.max_activations as policy_max_activations',
      'policies.activation_overage_percent',
      'policies.expiry_basis',
      'policies.duration_days',
      'policies.duration_months',
      'policies.ends_with_month',
    ])
    .select((eb) =>
      eb
        .selectFrom('activations')
        .select('activations.id')
        .whereRef('activations.license_id', '=', 'licenses.id')
        .limit(1)
        .as('first_activation_id'),
    )
    .select(publishedReleaseId(db))
    .where('licenses.id', 'in', ids)
    .execute();
  return rows.map(({ policy_max_activations: max_activations, ...row }) => ({
    ...row,
    is_trial: row.trial_policy_id === row.policy_id,
    has_downloads: row.published_release_id !== null,
    policy: { ...row, max_activations },
  }));
}

/** Returns the templates that the tenant has changed. */
export function listTemplates({ query }: TenantDb): Promise<HolderMailTemplatesTable[]> {
  return query.selectFrom('holder_mail_templates').selectAll().execute();
}

/** Writes a changed template. */
export async function writeTemplate(tx: TenantTransaction, row: HolderMailTemplatesTable): Promise<void> {
  const { type: _type, ...columns } = row;
  await tx
    .insertInto('holder_mail_templates')
    .values(row)
    .onConflict((conflict) => conflict.column('type').doUpdateSet(columns))
    .execute();
}

/** Reads the single row of settings. */
export function findMailSettings({ query }: TenantDb): Promise<HolderMailSettingsTable> {
  return query.selectFrom('holder_mail_settings').selectAll().executeTakeFirstOrThrow();
}

/** Reads the single row of settings and locks it until the transaction ends. */
export function lockMailSettings(tx: TenantTransaction): Promise<HolderMailSettingsTable> {
  return forUpdate(tx, tx.selectFrom('holder_mail_settings').selectAll()).executeTakeFirstOrThrow();
}

/** The passwords of the mail servers of tenants. */
export const sealedMailServerPasswords: SealedColumn<TenantTables> = {
  table: 'holder_mail_settings',
  column: 'sealed_smtp_password',
  key: ['id'],
  what: 'passwords of mail servers',
};
