import { randomInt } from 'node:crypto';
import type { TenantDb } from '../../../db/database.ts';
import { deleteRows, insertRow } from '../../../db/rows.ts';
import type { PortalLoginsTable } from '../../../db/tables/tenant/portal.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import type { KeyServices, Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { linkHashes, newLinkToken } from '../../accounts/identity/mail-link-service.ts';
import { findHolderAddress } from '../../licensing/licenses/holder-service.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { confirmAddress } from '../../tenant-core/holder-mail-queue/address-service.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { loginUrl } from './handle.ts';
import { countWrongCode, lockLogins, prepareLoginRow, takeLoginOfLink } from './login-queries.ts';
import { queueLoginMail } from './mails.ts';
import { type IssuedHolderSession, issueHolderSession, type LoginOrigin } from './session-service.ts';
import { findPortalUrl } from './settings-service.ts';

/** The kind of the job that looks for the licenses of an address and queues the mail. */
export const loginJobKind = 'portal-logins';

const lifetimeSeconds = 600;
const triesMax = 5;

/**
 * Notes that somebody wants to log in. The job does everything that depends on whether the address has licenses, so
 * that neither the response nor its time reveals it.
 */
export async function requestLogin(
  services: Services,
  tenant: Tenant,
  email: string,
  language: MailLanguage | null,
): Promise<void> {
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const at = services.clock.now();
    await insertRow(tx, 'portal_logins', { ...newLogin('holder', email, at, lifetimeSeconds), language });
    outbox.wakeUp(loginJobKind, at);
  });
}

/** Returns a login without a code and a link. */
export function newLogin(
  kind: PortalLoginsTable['kind'],
  email: string,
  at: string,
  seconds: number,
): PortalLoginsTable {
  return {
    id: newId(),
    kind,
    email: foldEmail(email),
    language: null,
    code_hash: null,
    link_hash: null,
    tries: 0,
    created_at: at,
    expires_at: addSeconds(at, seconds),
    prepared_at: null,
  };
}

/** The text whose keyed hash is stored: the same code of two logins has different hashes. */
function codeText({ id }: Pick<PortalLoginsTable, 'id'>, code: string): string {
  return `portal-code ${id} ${code}`;
}

type LoginHashes = Pick<PortalLoginsTable, 'code_hash' | 'link_hash'>;

/**
 * Creates the code and the link of a login and queues the mail with them. An address without a license, one that has
 * got enough mail, or one that nobody confirmed, gets neither; earlier mails stay valid.
 */
export async function prepareLogin(
  services: Services,
  tenant: Pick<Tenant, 'id' | 'db'>,
  login: PortalLoginsTable,
): Promise<void> {
  const { clock, keyring } = services;
  const url = await findPortalUrl(services, tenant.id);
  const to = url === null ? undefined : await findHolderAddress(tenant.db, login.email);
  const isAdmitted = to !== undefined && login.expires_at > clock.now() && (await admitMail(services, login.email));
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const token = newLinkToken();
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const prepared_at = clock.now();
    let hashes: LoginHashes = { code_hash: null, link_hash: null };
    if (isAdmitted && url !== null) {
      const link = loginUrl(url, token);
      const { id: loginId, language, expires_at: usefulUntil } = login;
      const mail = { to, loginId, code, link, language, usefulUntil };
      if (await queueLoginMail(services, tx, outbox, mail)) {
        hashes = { code_hash: keyring.hash(codeText(login, code)), link_hash: keyring.hash(token) };
      }
    }
    // Two runs of the job may overlap: the one that queued the mail of the login prepares it.
    await prepareLoginRow(tx, login.id, { ...hashes, prepared_at });
  });
}

function admitMail({ mail, platform }: Services, email: string): Promise<boolean> {
  return platform.transaction((tx) => mail.admit(tx, { kind: 'portal_login', to: email }));
}

/**
 * Logs in with a code of six digits. Each code admits five tries, whatever the caller; a wrong code counts for every
 * running login of the address. Throws 422 `PORTAL.LOGIN_INVALID`, the same for an address without a license.
 */
export async function loginByCode(
  services: KeyServices,
  { db }: { readonly db: TenantDb },
  { email, code }: { readonly email: string; readonly code: string },
  origin: LoginOrigin,
): Promise<IssuedHolderSession> {
  const folded = foldEmail(email);
  const session = await db.transaction(async (tx) => {
    const at = services.clock.now();
    const logins = await lockLogins(tx, folded, at);
    const fitting = logins.filter((login) => fits(services.keyring, login, code));
    if (fitting.length === 0) {
      // Committed, so that the try counts; therefore the error is thrown after the transaction.
      await countWrongCode(tx, folded);
      return null;
    }
    await deleteRows(tx, 'portal_logins', { email: folded, kind: 'holder' });
    await confirmAddress(tx, folded);
    return await issueHolderSession(services, tx, folded, origin, at);
  });
  if (session === null) throw loginInvalid();
  return session;
}

/** Computes the hash for every login, also for one without a code, so that both take as long. */
function fits(keyring: Keyring, login: PortalLoginsTable, code: string): boolean {
  const isRight = linkHashes(keyring, codeText(login, code)).includes(login.code_hash ?? '');
  return isRight && login.tries < triesMax;
}

/**
 * Logs in with the token of a link, once. Ends the other links and codes that the holder has requested. Throws 422
 * `PORTAL.LOGIN_INVALID`.
 */
export async function loginByLink(
  services: KeyServices,
  { db }: { readonly db: TenantDb },
  token: string,
  origin: LoginOrigin,
): Promise<IssuedHolderSession> {
  const session = await db.transaction(async (tx) => {
    const at = services.clock.now();
    const login = await takeLoginOfLink(tx, linkHashes(services.keyring, token), at);
    if (login === undefined) return null;
    if (login.kind === 'holder') {
      await deleteRows(tx, 'portal_logins', { email: login.email, kind: 'holder' });
      await confirmAddress(tx, login.email);
    }
    // A vendor who opens the link sees the portal in the vendor's own language.
    const from = login.kind === 'holder' ? origin : { ...origin, language: null };
    return await issueHolderSession(services, tx, login.email, from, at);
  });
  if (session === null) throw loginInvalid();
  return session;
}

/** Returns the same error for a wrong, used or expired code or link, and for an address without a license. */
function loginInvalid(): AppError {
  const message = 'The code or link is wrong, was used or has expired. Request a new mail and use the newest one.';
  return new AppError('PORTAL.LOGIN_INVALID', message);
}
