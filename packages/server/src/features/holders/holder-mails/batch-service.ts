import type { TenantDb } from '../../../db/database.ts';
import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import type { OutgoingMail } from '../../../mail/transport.ts';
import type { Services } from '../../../services.ts';
import type { HolderMailType } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { readLanguages } from '../../tenant-core/holder-mail-queue/service.ts';
import { type MailIdentity, readMailIdentity } from './brand-service.ts';
import type { OwnMailServer } from './mail-server.ts';
import { listMailedLicenses } from './queries.ts';
import { readTemplates } from './stored-templates.ts';
import type { Template } from './texts/shape.ts';
import { type MailedLicense, uselessBecause, valuesOf } from './values.ts';
import type { VariableValues } from './variables.ts';

/** A mail that can be sent, or why it is useless by now. */
type PreparedMail = OutgoingMail | { readonly uselessBecause: string };

/**
 * Reads the templates, licenses and brand of a batch. Returns the function that renders one of its mails. The text is made
 * right before it is sent, so no key waits in the queue.
 */
export async function readBatch(
  services: Services,
  db: TenantDb,
  mails: readonly HolderMailsTable[],
  {
    tenantId,
    ownServer,
    defaultLanguage,
  }: Pick<PrepareContext, 'tenantId' | 'ownServer'> & { readonly defaultLanguage: MailLanguage },
): Promise<(mail: HolderMailsTable) => PreparedMail> {
  const ids = [...new Set(mails.flatMap(({ license_id }) => license_id ?? []))];
  const licenses = ids.length === 0 ? [] : await listMailedLicenses(db.query, ids);
  const byId = new Map(licenses.map((license) => [license.id, license]));
  const templateOf = await readTemplates(db);
  const known = await readLanguages(
    db,
    mails.map(({ recipient }) => recipient),
  );
  const languageOf = ({ language, recipient }: HolderMailsTable) => language ?? known.get(recipient) ?? defaultLanguage;
  const identity = await readMailIdentity(services, tenantId, db);
  const { renderMail } = await import('./render.ts');
  const context: PrepareContext = { services, tenantId, identity, ownServer, templateOf, languageOf, renderMail };
  return (mail) => prepare(context, mail, byId.get(mail.license_id ?? '') ?? null);
}

interface PrepareContext {
  readonly services: Pick<Services, 'clock' | 'config' | 'keyring'>;
  readonly tenantId: string;
  readonly identity: MailIdentity;
  /** Null if the tenant uses the service's. */
  readonly ownServer: OwnMailServer | null;
  readonly templateOf: (type: HolderMailType, language: MailLanguage) => Template;
  readonly languageOf: (mail: HolderMailsTable) => MailLanguage;
  /** Loaded with the first mail: most processes start long before they send one. */
  readonly renderMail: typeof import('./render.ts').renderMail;
}

function prepare(context: PrepareContext, mail: HolderMailsTable, license: MailedLicense | null): PreparedMail {
  const { services, identity, templateOf, languageOf, renderMail } = context;
  const type = mail.type as HolderMailType;
  const now = services.clock.now();
  const isRequested = mail.resent_from !== null;
  const hasLicense = mail.license_id !== null;
  const checked = { type, recipient: mail.recipient, isRequested, hasLicense, reportedExpiry: reportedExpiryOf(mail) };
  const reason = uselessBecause(checked, license, now);
  if (reason !== null) return { uselessBecause: reason };
  const own: VariableValues = mail.sealed_values === null ? {} : JSON.parse(services.keyring.open(mail.sealed_values));
  const { brand, timezone, portalUrl } = identity;
  const { name: tenantName, supportEmail } = brand;
  const language = languageOf(mail);
  const subject = { tenantName, supportEmail, portalUrl, timezone, language, license };
  const values = valuesOf(type, { ...subject, own, happenedAt: mail.created_at, now });
  const rendered = renderMail(type, language, templateOf(type, language), values, brand);
  const date = new Date(mail.created_at);
  return { ...envelopeOf(context, mail), ...rendered, id: mail.id, date };
}

/** The event of a reminder and of an end names the expiry that it reports. */
function reportedExpiryOf({ type, event }: HolderMailsTable): string | null {
  return type === 'license.expiring' || type === 'license.expired' ? (event.split(' ')[2] ?? null) : null;
}

/** Returns the addresses of a mail: it comes in the tenant's name, and answers go to its support address. */
export function envelopeOf(
  {
    services: { config },
    tenantId,
    identity: { brand },
    ownServer,
  }: Pick<PrepareContext, 'tenantId' | 'identity' | 'ownServer'> & { readonly services: Pick<Services, 'config'> },
  { recipient: to }: Pick<HolderMailsTable, 'recipient'>,
) {
  const address = ownServer?.from ?? /<([^>]+)>/.exec(config.mailFrom)?.[1] ?? config.mailFrom;
  const { name, supportEmail } = brand;
  return { to, tenantId, from: { name, address }, ...(supportEmail !== null && { replyTo: supportEmail }) };
}
