import type { TenantTransaction } from '../../../db/database.ts';
import { updateRows } from '../../../db/rows.ts';
import type { HolderMailSettingsTable } from '../../../db/tables/tenant/holder-mails.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, type ErrorDetail, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { MailTransport } from '../../../mail/transport.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { findProductById } from '../../licensing/products/service.ts';
import { changedFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { type HolderMailSwitch, isSwitchedOn } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import { changeSwitches, readSwitches, switchableTypes } from '../../tenant-core/holder-mail-queue/service.ts';
import { envelopeOf } from './batch-service.ts';
import { readMailIdentity } from './brand-service.ts';
import { type OwnMailServer, openOwnServer, ownServerOf } from './mail-server.ts';
import { findMailSettings, lockMailSettings } from './queries.ts';
import type { RenderedMail } from './render.ts';
import type { MailSettings, SetMailServer, UpdateMailSettings } from './schemas.ts';

const defaultDays = [30, 7, 1];

/** Reads which mails the holders of a tenant get, and which server sends them. */
export async function readMailSettings({ db }: Pick<Tenant, 'db'>): Promise<MailSettings> {
  return present(await findMailSettings(db), await readSwitches(db));
}

function present(row: HolderMailSettingsTable, switches: readonly HolderMailSwitch[]): MailSettings {
  return {
    expiring_days: JSON.parse(row.expiring_days_json),
    default_language: row.default_language,
    types: switchableTypes.map((type) => ({
      type,
      is_on: isSwitchedOn(switches, type, null),
      is_default: !switches.some((one) => one.type === type && one.product_id === ''),
      products: switches
        .filter((one) => one.type === type && one.product_id !== '')
        .map(({ product_id, is_on }) => ({ product_id, is_on: is_on === 1 })),
    })),
    server: presentServer(row),
  };
}

function presentServer(row: HolderMailSettingsTable): MailSettings['server'] {
  const { smtp_host: host, smtp_port: port, smtp_security: security, smtp_user: user } = row;
  const { smtp_from: from_address, smtp_proved_at: proved_at } = row;
  if (host === null || port === null || security === null || from_address === null || proved_at === null) return null;
  return { host, port, security, user, from_address, proved_at };
}

/** Changes the fields that `input` contains. Throws 422 for an unknown product and for a mail that is always sent. */
export async function changeMailSettings(
  { clock }: Pick<Services, 'clock'>,
  tenant: Tenant,
  actor: Actor,
  { expiring_days, default_language, switches = [] }: UpdateMailSettings,
): Promise<MailSettings> {
  await assertSwitchable(tenant, switches);
  return await tenant.db.transaction(async (tx) => {
    const before = await lockMailSettings(tx);
    const changes = await changeSwitches(
      tx,
      switches.map(({ type, product_id = null, is_on }) => ({ type, productId: product_id, isOn: is_on })),
    );
    const days = expiring_days === undefined ? JSON.parse(before.expiring_days_json) : (expiring_days ?? defaultDays);
    const expiring_days_json = JSON.stringify((days as number[]).toSorted((one, other) => other - one));
    if (expiring_days_json !== before.expiring_days_json) {
      await updateRows(tx, 'holder_mail_settings', 1, { expiring_days_json });
      const [old, now] = [before.expiring_days_json, expiring_days_json].map((json) => JSON.parse(json));
      changes.push({ field: 'expiring_days', old, new: now });
    }
    const language = default_language ?? before.default_language;
    if (language !== before.default_language) {
      await updateRows(tx, 'holder_mail_settings', 1, { default_language: language });
      changes.push({ field: 'default_language', old: before.default_language, new: language });
    }
    if (changes.length > 0)
      await audit(tx, actor, tenant.id, { event: 'MAIL_SETTINGS.UPDATED', changes, at: clock.now() });
    return present({ ...before, expiring_days_json, default_language: language }, await readSwitches(tx));
  });
}

async function assertSwitchable(
  { db }: Pick<Tenant, 'db'>,
  switches: NonNullable<UpdateMailSettings['switches']>,
): Promise<void> {
  const problems: ErrorDetail[] = [];
  for (const [index, { type, product_id = null }] of switches.entries()) {
    if (!switchableTypes.includes(type))
      problems.push({
        field: `switches.${index}.type`,
        message: 'This mail is always sent, because the customer asks for it.',
      });
    if (product_id !== null && (await findProductById(db, product_id)) === undefined)
      problems.push({ field: `switches.${index}.product_id`, message: 'Choose an existing product.' });
  }
  if (problems.length > 0) throw validationError(...problems);
}

const serverColumns = ['smtp_host', 'smtp_port', 'smtp_security', 'smtp_user', 'smtp_from'] as const;

/**
 * Sends a test mail through a server and, if the server accepts it, uses the server for all mails to holders. Until then
 * nothing changes. Throws 422 `MAIL.NOT_ACCEPTED` with the server's words, and 422 for a missing password.
 */
export async function setMailServer(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  input: SetMailServer,
): Promise<MailSettings> {
  const { keyring, clock } = services;
  const server = await serverOfInput(services, tenant, input);
  await countTest(services, tenant, input.test_recipient);
  const transport = await openOwnServer(services, server).catch((error: unknown) => notAccepted(error));
  try {
    await sendTest(services, tenant, { to: input.test_recipient, transport, server, content: proofMail(tenant.name) });
  } finally {
    transport.close();
  }
  return await tenant.db.transaction(async (tx) => {
    const before = await lockMailSettings(tx);
    const at = clock.now();
    const after = {
      smtp_host: server.host,
      smtp_port: server.port,
      smtp_security: server.security,
      smtp_user: server.user,
      sealed_smtp_password: server.password === null ? null : keyring.seal(server.password),
      smtp_from: server.from,
      smtp_proved_at: at,
    };
    await updateRows(tx, 'holder_mail_settings', 1, after);
    const changes = changedFields<object>(before, { ...before, ...after }, serverColumns as never);
    await audit(tx, actor, tenant.id, { event: 'MAIL_SERVER.UPDATED', changes, at });
    return present({ ...before, ...after }, await readSwitches(tx));
  });
}

/** Returns to the mail server of the service. Does nothing without an own server. */
export async function removeMailServer(
  { clock }: Pick<Services, 'clock'>,
  tenant: Tenant,
  actor: Actor,
): Promise<MailSettings> {
  return await tenant.db.transaction(async (tx) => {
    const before = await lockMailSettings(tx);
    const nothing = { smtp_host: null, smtp_port: null, smtp_security: null, smtp_user: null, smtp_from: null };
    const after = { ...nothing, sealed_smtp_password: null, smtp_proved_at: null };
    if (before.smtp_host !== null) {
      await updateRows(tx, 'holder_mail_settings', 1, after);
      const changes = changedFields<object>(before, { ...before, ...after }, serverColumns as never);
      await audit(tx, actor, tenant.id, { event: 'MAIL_SERVER.REMOVED', changes, at: clock.now() });
    }
    return present({ ...before, ...after }, await readSwitches(tx));
  });
}

/**
 * Returns the server of a request. The stored password is used again only for the same host, port and user: nobody can
 * have it sent to another host.
 */
async function serverOfInput(services: Services, { db }: Tenant, input: SetMailServer): Promise<OwnMailServer> {
  const { host, port, security, user = null, password, from_address: from } = input;
  if (user === null && password !== undefined)
    throw validationError({ field: 'user', message: 'Enter the user together with the password.' });
  const server = { host, port, security, user, from };
  if (user === null || password !== undefined) return { ...server, password: password ?? null };
  const stored = ownServerOf(services, await findMailSettings(db));
  const isSame = stored?.host === host && stored.port === port && stored.user === user;
  if (isSame && stored.password !== null) return { ...server, password: stored.password };
  throw validationError({ field: 'password', message: 'Enter the password again for another host, port or user.' });
}

function proofMail(name: string): RenderedMail {
  const line = `This mail proves that your mail server accepts mails from the licensing service for ${name}.`;
  return {
    subject: 'Your mail server works',
    text: `${line}\n`,
    html: `<p>${line.replace(/[<>&]/g, '')}</p>`,
    attachments: [],
  };
}

/** Counts a test mail. Throws 429 `MAIL.LIMIT_REACHED` if the tenant has sent too many today. */
export async function countTest({ platform, mail }: Services, { id }: Pick<Tenant, 'id'>, to: string): Promise<void> {
  const request = { kind: 'holder_test', to: foldEmail(to), sender: id } as const;
  await platform.transaction((tx) => mail.admit(tx, request));
}

interface TestMail {
  readonly to: string;
  readonly transport: MailTransport;
  /** Null: the service's server. */
  readonly server: OwnMailServer | null;
  readonly content: RenderedMail;
}

/** Sends a test mail at once. Throws 422 `MAIL.NOT_ACCEPTED` with the words of the server. */
export async function sendTest(services: Services, { id, db }: Tenant, test: TestMail): Promise<void> {
  const identity = await readMailIdentity(services, id, db);
  const context = { services, tenantId: id, identity, ownServer: test.server };
  const envelope = envelopeOf(context, { recipient: test.to });
  const date = new Date(services.clock.nowMs());
  await test.transport
    .send({ ...envelope, ...test.content, id: newId(), date })
    .catch((error: unknown) => notAccepted(error));
}

/** Throws the error of a mail that a server did not accept. */
export function notAccepted(cause: unknown): never {
  const words = cause instanceof Error ? cause.message : String(cause);
  const message = `The mail server did not accept the mail, and nothing was changed. It answered: ${words} Check the server, its user and its password, and try again.`;
  throw new AppError('MAIL.NOT_ACCEPTED', message, { cause });
}

async function audit(
  tx: TenantTransaction,
  actor: Actor,
  tenantId: string,
  entry: { readonly event: string; readonly changes: ReturnType<typeof changedFields>; readonly at: string },
): Promise<void> {
  await recordAudit(tx, actor, { ...entry, resourceType: 'mail_settings', resourceId: tenantId });
}
