import { deleteRows, lockRow } from '../../../db/rows.ts';
import { validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { type HolderMailType, holderMailTypes } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { readMailIdentity } from './brand-service.ts';
import { defaultTemplates } from './default-templates.ts';
import { openOwnServer, ownServerOf } from './mail-server.ts';
import { findMailSettings, writeTemplate } from './queries.ts';
import type { MailTemplate, TestTemplate, UpdateTemplate } from './schemas.ts';
import { countTest, notAccepted, sendTest } from './settings-service.ts';
import { readTemplates, storedTypeOf } from './stored-templates.ts';
import type { Template } from './texts/shape.ts';
import { sampleValues } from './values.ts';
import { variablesOf } from './variables.ts';

const fields = ['subject', 'body'] as const;

/** A text of mails: its type and its language. */
export interface TextId {
  readonly type: HolderMailType;
  readonly language: MailLanguage;
}

/** Reads the text of every type in a language. */
export async function readTemplateList({ db }: Pick<Tenant, 'db'>, language: MailLanguage): Promise<MailTemplate[]> {
  const templateOf = await readTemplates(db);
  return holderMailTypes.map((type) => present({ type, language }, templateOf(type, language)));
}

/** Reads the text of a type in a language. */
export async function readTemplate({ db }: Pick<Tenant, 'db'>, id: TextId): Promise<MailTemplate> {
  return present(id, (await readTemplates(db))(id.type, id.language));
}

function present(
  { type, language }: TextId,
  { subject, body, updated_at }: Template & { readonly updated_at: string | null },
): MailTemplate {
  const variables = variablesOf(type).map(({ name, description, sample }) => ({ name, description, sample }));
  return { type, language, subject, body, is_default: updated_at === null, updated_at, variables };
}

function defaultOf({ type, language }: TextId) {
  return { ...defaultTemplates[language][type], updated_at: null };
}

/** Replaces the text of a type in a language. Throws 422 that names the variables and links which cannot be used. */
export async function changeTemplate(
  { clock }: Pick<Services, 'clock'>,
  tenant: Tenant,
  actor: Actor,
  id: TextId,
  input: UpdateTemplate,
): Promise<MailTemplate> {
  await assertUsable(id.type, input);
  return await tenant.db.transaction(async (tx) => {
    const before = (await lockRow(tx, 'holder_mail_templates', { type: storedTypeOf(id) })) ?? defaultOf(id);
    const at = clock.now();
    const { subject, body } = input;
    const changes = changedFields<Template>(before, input, fields);
    if (changes.length === 0) return present(id, before);
    const row = { type: storedTypeOf(id), subject, body, updated_at: at };
    await writeTemplate(tx, row);
    await recordAudit(tx, actor, { ...auditOf(id, 'MAIL_TEMPLATE.UPDATED'), changes, at });
    return present(id, row);
  });
}

/** Returns a type to the text of the service in a language. Does nothing if it has that text. */
export async function resetTemplate(
  { clock }: Pick<Services, 'clock'>,
  tenant: Tenant,
  actor: Actor,
  id: TextId,
): Promise<MailTemplate> {
  return await tenant.db.transaction(async (tx) => {
    const stored = await lockRow(tx, 'holder_mail_templates', { type: storedTypeOf(id) });
    if (stored === undefined) return present(id, defaultOf(id));
    await deleteRows(tx, 'holder_mail_templates', { type: stored.type });
    const changes = changedFields<Template>(stored, defaultOf(id), fields);
    await recordAudit(tx, actor, { ...auditOf(id, 'MAIL_TEMPLATE.RESET'), changes, at: clock.now() });
    return present(id, defaultOf(id));
  });
}

/** Renders a text with sample values. Throws 422 like `changeTemplate`. */
export async function previewTemplate(
  services: Services,
  tenant: Tenant,
  id: TextId,
  template: Template,
): Promise<{ readonly subject: string; readonly html: string; readonly text: string }> {
  const { asPage, rendered, brand } = await renderSample(services, tenant, id, template);
  return { subject: rendered.subject, html: asPage(rendered, brand), text: rendered.text };
}

/**
 * Sends a text with sample values at once, through the server that the tenant uses. Throws 422 like `changeTemplate`, 422
 * `MAIL.NOT_ACCEPTED` with the words of the server, and 429 `MAIL.LIMIT_REACHED`.
 */
export async function testTemplate(
  services: Services,
  tenant: Tenant,
  id: TextId,
  { to, ...template }: TestTemplate,
): Promise<{ readonly to: string }> {
  const { rendered: content } = await renderSample(services, tenant, id, template);
  await countTest(services, tenant, to);
  const server = ownServerOf(services, await findMailSettings(tenant.db));
  if (server === null) {
    await sendTest(services, tenant, { to, transport: services.mailTransport, server, content });
    return { to };
  }
  const transport = await openOwnServer(services, server).catch((error: unknown) => notAccepted(error));
  try {
    await sendTest(services, tenant, { to, transport, server, content });
  } finally {
    transport.close();
  }
  return { to };
}

async function renderSample(services: Services, tenant: Tenant, { type, language }: TextId, template: Template) {
  await assertUsable(type, template);
  const { brand, portalUrl } = await readMailIdentity(services, tenant.id, tenant.db);
  const { asPage, renderMail } = await import('./render.ts');
  const { supportEmail } = brand;
  // A preview shows what the tenant's own holders get. The rest are samples.
  const own = { tenant_name: brand.name, support_email: supportEmail ?? '', portal_url: portalUrl ?? '' };
  const rendered = renderMail(type, language, template, { ...sampleValues(type, language), ...own }, brand);
  return { asPage, rendered, brand };
}

async function assertUsable(type: HolderMailType, template: Template): Promise<void> {
  const { templateProblems } = await import('./template.ts');
  const problems = await templateProblems(type, template);
  if (problems.length > 0) throw validationError(...problems);
}

/** A template has no id: its type and its language identify it. */
function auditOf(id: TextId, event: string) {
  return { event, resourceType: 'mail_template', resourceId: storedTypeOf(id) };
}
