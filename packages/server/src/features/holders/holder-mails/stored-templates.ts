import type { TenantDb } from '../../../db/database.ts';
import type { HolderMailType } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { defaultTemplates } from './default-templates.ts';
import { listTemplates } from './queries.ts';
import type { Template } from './texts/shape.ts';

/** Returns the name of a text in storage. Versions before there were languages know the types alone, in English. */
export function storedTypeOf({
  type,
  language,
}: {
  readonly type: HolderMailType;
  readonly language: MailLanguage;
}): string {
  return language === 'en' ? type : `${type} ${language}`;
}

/** Reads the texts of a tenant. Returns the one of a type and a language: the tenant's own, or the service's. */
export async function readTemplates(
  db: TenantDb,
): Promise<(type: HolderMailType, language: MailLanguage) => Template & { readonly updated_at: string | null }> {
  const own = new Map((await listTemplates(db)).map((row) => [row.type, row]));
  return (type, language) =>
    own.get(storedTypeOf({ type, language })) ?? { ...defaultTemplates[language][type], updated_at: null };
}
