import type { PlatformTransaction } from '../../../db/database.ts';
import { updateRows } from '../../../db/rows.ts';
import { clientNetwork } from '../../../lib/cidr.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { verifyPassword } from '../../../lib/password.ts';
import { twoFactorDisabledMail, twoFactorEnabledMail } from '../../../mail/templates/account.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { ClockServices, MailServices, PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { findAccount, findPasswordHash, lockUnchangedAccount } from './account-queries.ts';
import { admitsNotice } from './notices.ts';
import {
  checkSecondFactor,
  limitingWrongCodes,
  recordTwoFactor,
  secondFactorInvalid,
} from './second-factor-service.ts';
import { type Origin, wrongCredentials } from './service.ts';
import type { LiveSession } from './session-queries.ts';
import { endSessions } from './session-service.ts';
import { type Ability, actorOf, nameOf, personOf, type Subject, type SubjectName } from './subject.ts';
import { newRecoveryCodes, newSecret, otpauthUrl, recoveryCodeHash, stepOfCode } from './two-factor.ts';
import {
  countRecoveryCodes,
  deleteRecoveryCodes,
  deleteTwoFactor,
  findTwoFactor,
  insertRecoveryCodes,
  upsertTwoFactor,
  useStep,
} from './two-factor-queries.ts';
import { twoFactorUndoDays, twoFactorUndoToken } from './two-factor-undo-service.ts';

type TwoFactorServices = MailServices & {
  /** The same lockout as for logins, so that a stolen token does not allow more guesses of the password. */
  readonly lockout: Lockout;
};

/** Returns whether a login requires a code, since when, and the number of unused recovery codes. */
export function readTwoFactor(services: PlatformServices, subject: Subject) {
  return readTwoFactorOf(services, nameOf(subject));
}

/** Like `readTwoFactor`, by the id of the user or admin. */
export function readTwoFactorOf({ platform }: PlatformServices, name: SubjectName) {
  return platform.transaction(async (tx) => {
    const app = await findTwoFactor(tx, name);
    const enabledAt = app?.confirmed_at ?? null;
    const left = enabledAt === null ? 0 : await countRecoveryCodes(tx, name);
    return { enabled: enabledAt !== null, enabled_at: enabledAt, recovery_codes_left: left };
  });
}

/**
 * Creates a secret for an authenticator app and replaces an unconfirmed one. A login requires no code until
 * `confirmSetup`. Throws 401 `AUTH.INVALID_CREDENTIALS`, 429 `AUTH.LOCKED_OUT`, 409 `AUTH.TWO_FACTOR_ENABLED`.
 */
export async function beginSetup(services: TwoFactorServices, token: LiveSession, password: string, origin: Origin) {
  const secret = newSecret();
  await withPassword(services, token, { password, origin }, async (tx) => {
    const existing = await findTwoFactor(tx, nameOf(token.subject));
    if (existing !== undefined && existing.confirmed_at !== null) throw alreadyEnabled();
    const { ability, id } = nameOf(token.subject);
    await upsertTwoFactor(tx, {
      ability,
      subject_id: id,
      sealed_secret: services.keyring.seal(secret),
      confirmed_at: null,
      last_used_step: 0,
      created_at: services.clock.now(),
    });
  });
  return { secret, otpauth_url: otpauthUrl(secret, personOf(token.subject).email) };
}

/**
 * Turns two-factor authentication on after checking a first code of the app, and revokes every other session. Returns
 * the recovery codes. Only their hashes are stored. Throws 401 `AUTH.TWO_FACTOR_INVALID`, 409 `AUTH.TWO_FACTOR_ENABLED`
 * or `AUTH.TWO_FACTOR_NOT_SET_UP`, and 429 `AUTH.LOCKED_OUT`.
 */
export async function confirmSetup(
  services: TwoFactorServices,
  token: LiveSession,
  code: string,
  origin: Origin,
): Promise<string[]> {
  const subject = nameOf(token.subject);
  const codes = await limited(services, subject, (tx) => applyConfirmation(services, tx, token, code, origin));
  services.mail.kick();
  return codes;
}

async function applyConfirmation(
  services: TwoFactorServices,
  tx: PlatformTransaction,
  token: LiveSession,
  code: string,
  origin: Origin,
): Promise<string[]> {
  const subject = nameOf(token.subject);
  const app = orThrow(await findTwoFactor(tx, subject), notSetUp);
  if (app.confirmed_at !== null) throw alreadyEnabled();
  const step = stepOfCode(services.keyring.open(app.sealed_secret), code, services.clock.nowMs());
  if (step === null || !(await useStep(tx, subject, step))) throw secondFactorInvalid();
  const enabledAt = services.clock.now();
  await updateRows(tx, 'two_factor', { ability: subject.ability, subject_id: subject.id }, { confirmed_at: enabledAt });
  await endSessions(tx, subject, token.id);
  await recordTwoFactor(services, tx, subject, 'TWO_FACTOR_ENABLED', actorOf(subject, origin));
  const person = personOf(token.subject);
  const { email } = person;
  if (await admitsNotice(services, tx, person)) await notifyEnabled(services, tx, { subject, email, enabledAt });
  return replaceCodes(tx, subject);
}

/**
 * Replaces the recovery codes and returns the new ones. Throws 401 `AUTH.TWO_FACTOR_INVALID`, 409
 * `AUTH.TWO_FACTOR_NOT_SET_UP`, and 429 `AUTH.LOCKED_OUT`.
 */
export function replaceRecoveryCodes(
  services: TwoFactorServices,
  token: LiveSession,
  code: string,
  origin: Origin,
): Promise<string[]> {
  const subject = nameOf(token.subject);
  return limited(services, subject, async (tx) => {
    await requireCode(services, tx, subject, code, origin);
    await recordTwoFactor(services, tx, subject, 'RECOVERY_CODES_REPLACED', actorOf(subject, origin));
    return replaceCodes(tx, subject);
  });
}

/**
 * Turns two-factor authentication off. Throws 401 `AUTH.INVALID_CREDENTIALS` or `AUTH.TWO_FACTOR_INVALID`, 409
 * `AUTH.TWO_FACTOR_NOT_SET_UP`, and 429 `AUTH.LOCKED_OUT`.
 */
export async function disableTwoFactor(
  services: TwoFactorServices,
  token: LiveSession,
  proof: { readonly password: string; readonly code: string },
  origin: Origin,
): Promise<void> {
  const subject = nameOf(token.subject);
  await limitingWrongCodes(services, subject, async () => {
    await withPassword(services, token, { password: proof.password, origin }, async (tx) => {
      await requireCode(services, tx, subject, proof.code, origin);
      await removeTwoFactor(tx, subject);
      await recordTwoFactor(services, tx, subject, 'TWO_FACTOR_DISABLED', actorOf(subject, origin));
      const person = personOf(token.subject);
      if (await admitsNotice(services, tx, person)) await notifyDisabled(services, tx, person.email);
    });
    return true;
  });
  services.mail.kick();
}

/**
 * Turns two-factor authentication off for a user or admin who lost the device, and revokes the sessions. For operators,
 * who must have verified the person's identity. Returns false if there is no such enabled account or it has no
 * two-factor authentication.
 */
export async function resetTwoFactor(
  services: MailServices,
  ability: Ability,
  email: string,
  actor: Actor,
): Promise<boolean> {
  const account = await findAccount(services.platform, ability, foldEmail(email));
  if (account === undefined) return false;
  const subject = nameOf(account.subject);
  const wasEnabled = await services.platform.transaction(async (tx) => {
    if (!(await removeTwoFactor(tx, subject))) return false;
    await endSessions(tx, subject);
    await recordTwoFactor(services, tx, subject, 'TWO_FACTOR_RESET', actor);
    await notifyDisabled(services, tx, personOf(account.subject).email);
    return true;
  });
  services.mail.kick();
  return wasEnabled;
}

/**
 * Turns two-factor authentication off for a user whose account was probably stolen, if it was turned on at `since` or
 * later, in the caller's transaction.
 */
export async function endTwoFactorSince(
  services: ClockServices,
  tx: PlatformTransaction,
  subject: SubjectName,
  { since, actor }: { readonly since: Timestamp; readonly actor: Actor },
): Promise<void> {
  const app = await findTwoFactor(tx, subject);
  if (app === undefined || app.confirmed_at === null || app.confirmed_at < since) return;
  await removeTwoFactor(tx, subject);
  await recordTwoFactor(services, tx, subject, 'TWO_FACTOR_RESET', actor);
}

/** Deletes the app and the recovery codes of a subject. Returns false if there was no app. */
async function removeTwoFactor(tx: PlatformTransaction, subject: SubjectName): Promise<boolean> {
  await deleteRecoveryCodes(tx, subject);
  return deleteTwoFactor(tx, subject);
}

/** Checks the password, then runs `work` in a transaction that has locked the account with the same password. */
async function withPassword(
  services: Pick<TwoFactorServices, 'platform' | 'lockout'>,
  token: LiveSession,
  { password, origin }: { readonly password: string; readonly origin: Origin },
  work: (tx: PlatformTransaction) => Promise<void>,
): Promise<void> {
  const name = nameOf(token.subject);
  const account = { account: `${name.ability}:${personOf(token.subject).email}`, address: clientNetwork(origin.ip) };
  const { subject: passwordHash } = await services.lockout.attempt(account, async () => {
    const hash = await findPasswordHash(services.platform, name);
    return (await verifyPassword(hash, password)) ? hash : null;
  });
  if (passwordHash === null) throw wrongCredentials();
  await services.platform.transaction(async (tx) => {
    if (!(await lockUnchangedAccount(tx, name, passwordHash))) throw wrongCredentials();
    await work(tx);
  });
}

async function limited(
  services: MailServices,
  subject: SubjectName,
  work: (tx: PlatformTransaction) => Promise<string[]>,
): Promise<string[]> {
  return (await limitingWrongCodes(services, subject, () => services.platform.transaction(work))) ?? [];
}

async function requireCode(
  services: TwoFactorServices,
  tx: PlatformTransaction,
  subject: SubjectName,
  code: string,
  origin: Origin,
): Promise<void> {
  const app = await findTwoFactor(tx, subject);
  if (app === undefined || app.confirmed_at === null) throw notSetUp();
  const fits = await checkSecondFactor(services, tx, subject, code, actorOf(subject, origin));
  if (!fits) throw secondFactorInvalid();
}

async function replaceCodes(tx: PlatformTransaction, subject: SubjectName): Promise<string[]> {
  const codes = newRecoveryCodes();
  await deleteRecoveryCodes(tx, subject);
  const hashes = codes.map(recoveryCodeHash).filter((hash) => hash !== null);
  await insertRecoveryCodes(tx, subject, hashes);
  return codes;
}

/** A user gets a link that undoes it. The mailbox alone gives no rights of an admin, so admins get none. */
async function notifyEnabled(
  { config, keyring, mail }: TwoFactorServices,
  tx: PlatformTransaction,
  enabled: { readonly subject: SubjectName; readonly email: string; readonly enabledAt: Timestamp },
): Promise<void> {
  const { subject, email, enabledAt } = enabled;
  const undoToken =
    subject.ability === 'tenant' ? twoFactorUndoToken(keyring, { userId: subject.id, email, enabledAt }) : null;
  const undoableUntil = addDays(enabledAt, twoFactorUndoDays);
  const { publicUrl } = config;
  await mail.enqueue(tx, twoFactorEnabledMail({ to: email, at: enabledAt, publicUrl, undoToken, undoableUntil }));
}

async function notifyDisabled(
  { clock, config, mail }: MailServices,
  tx: PlatformTransaction,
  to: string,
): Promise<void> {
  await mail.enqueue(tx, twoFactorDisabledMail({ to, at: clock.now(), publicUrl: config.publicUrl }));
}

function alreadyEnabled(): AppError {
  return new AppError(
    'AUTH.TWO_FACTOR_ENABLED',
    'Two-factor authentication is already on. Turn it off before you set it up again.',
  );
}

function notSetUp(): AppError {
  return new AppError('AUTH.TWO_FACTOR_NOT_SET_UP', 'No authenticator app is set up. Set one up first.');
}
