import { validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { type HolderMailType, holderMailTypes } from '../../tenant-core/holder-mails/holder-mail.ts';
import { readMailIdentity } from './brand-service.ts';
import { defaultTemplates, type Template } from './default-templates.ts';
import { openOwnServer, ownServerOf } from './mail-server.ts';
import { findMailSettings, listTemplates, lockTemplate, removeTemplate, writeTemplate } from './queries.ts';
import type { MailTemplate, TestTemplate, UpdateTemplate } from './schemas.ts';
import { countTest, notAccepted, sendTest } from './settings-service.ts';
import { sampleValues, variablesOf } from './variables.ts';

const fields = ['subject', 'body'] as const;

/** Reads the text of every type. */
export async function readTemplateList({ db }: Pick<Tenant, 'db'>): Promise<MailTemplate[]> {
  const changed = new Map((await listTemplates(db)).map((row) => [row.type, row]));
  return holderMailTypes.map((type) => present(type, changed.get(type)));
}

/** Reads the text of a type. */
export async function readTemplate(tenant: Pick<Tenant, 'db'>, type: HolderMailType): Promise<MailTemplate> {
  return present(
    type,
    (await listTemplates(tenant.db)).find((row) => row.type === type),
  );
}

function present(type: HolderMailType, row?: Template & { readonly updated_at: string }): MailTemplate {
  const { subject, body } = row ?? defaultTemplates[type];
  const variables = variablesOf(type).map(({ name, description, sample }) => ({ name, description, sample }));
  return { type, subject, body, is_default: row === undefined, updated_at: row?.updated_at ?? null, variables };
}

/** Replaces the text of a type. Throws 422 that names the variables and links which cannot be used. */
export async function changeTemplate(
  { clock }: Pick<Services, 'clock'>,
  tenant: Tenant,
  actor: Actor,
  type: HolderMailType,
  input: UpdateTemplate,
): Promise<MailTemplate> {
  await assertUsable(type, input);
  return await tenant.db.transaction(async (tx) => {
    const stored = await lockTemplate(tx, type);
    const before = stored ?? defaultTemplates[type];
    const at = clock.now();
    const { subject, body } = input;
    const changes = changedFields<Template>(before, input, fields);
    if (changes.length === 0) return present(type, stored);
    const row = { type, subject, body, updated_at: at };
    await writeTemplate(tx, row);
    await recordAudit(tx, actor, { ...auditOf(type, 'MAIL_TEMPLATE.UPDATED'), changes, at });
    return present(type, row);
  });
}

/** Returns a type to the text of the service. Does nothing if it has that text. */
export async function resetTemplate(
  { clock }: Pick<Services, 'clock'>,
  tenant: Tenant,
  actor: Actor,
  type: HolderMailType,
): Promise<MailTemplate> {
  return await tenant.db.transaction(async (tx) => {
    const stored = await lockTemplate(tx, type);
    if (stored === undefined) return present(type);
    await removeTemplate(tx, type);
    const changes = changedFields<Template>(stored, defaultTemplates[type], fields);
    await recordAudit(tx, actor, { ...auditOf(type, 'MAIL_TEMPLATE.RESET'), changes, at: clock.now() });
    return present(type);
  });
}

/** Renders a text with sample values. Throws 422 like `changeTemplate`. */
export async function previewTemplate(
  services: Services,
  tenant: Tenant,
  type: HolderMailType,
  template: Template,
): Promise<{ readonly subject: string; readonly html: string; readonly text: string }> {
  const { asPage, rendered, brand } = await renderSample(services, tenant, type, template);
  return { subject: rendered.subject, html: asPage(rendered, brand), text: rendered.text };
}

/**
 * Sends a text with sample values at once, through the server that the tenant uses. Throws 422 like `changeTemplate`, 422
 * `MAIL.NOT_ACCEPTED` with the words of the server, and 429 `MAIL.LIMIT_REACHED`.
 */
export async function testTemplate(
  services: Services,
  tenant: Tenant,
  type: HolderMailType,
  { to, ...template }: TestTemplate,
): Promise<{ readonly to: string }> {
  const { rendered: content } = await renderSample(services, tenant, type, template);
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

async function renderSample(services: Services, tenant: Tenant, type: HolderMailType, template: Template) {
  await assertUsable(type, template);
  const { brand, portalUrl } = await readMailIdentity(services, tenant.id, tenant.db);
  const { asPage, renderMail } = await import('./render.ts');
  const { supportEmail } = brand;
  // A preview shows what the tenant's own holders get. The rest are samples.
  const own = { tenant_name: brand.name, support_email: supportEmail ?? '', portal_url: portalUrl ?? '' };
  const rendered = renderMail(type, template, { ...sampleValues(type), ...own }, brand);
  return { asPage, rendered, brand };
}

async function assertUsable(type: HolderMailType, template: Template): Promise<void> {
  const { templateProblems } = await import('./template.ts');
  const problems = templateProblems(type, template);
  if (problems.length > 0) throw validationError(...problems);
}

/** A template has no id: its type identifies it. */
function auditOf(type: HolderMailType, event: string) {
  return { event, resourceType: 'mail_template', resourceId: type };
}
