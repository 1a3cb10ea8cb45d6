import type { PlatformTransaction } from '../../../db/database.ts';
import { AppError } from '../../../lib/error.ts';
import type { ClockServices, KeyServices, MailServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { type SubjectName, subjectKinds } from './subject.ts';
import { recoveryCodeHash, stepOfCode } from './two-factor.ts';
import { findTwoFactor, takeRecoveryCode, useStep } from './two-factor-queries.ts';

/**
 * The wrong codes allowed per account and 15 minutes, from all client addresses together. A code has only six digits,
 * and an attacker who tries codes already has the password or a token.
 */
const wrongCodes = { limit: 20, windowSeconds: 15 * 60 };
const wrongCodesName = 'two-factor-failures';

/**
 * Checks the second factor of a subject, in the caller's transaction. Accepts a code of the app or a recovery code,
 * each only once. Returns true if the code is right or the subject has no confirmed app, and false if the code is
 * wrong. Throws 401 `AUTH.TWO_FACTOR_REQUIRED` if there is a confirmed app and no code.
 */
export async function checkSecondFactor(
  services: KeyServices,
  tx: PlatformTransaction,
  subject: SubjectName,
  code: string | undefined,
  actor: Actor,
): Promise<boolean> {
  const app = await findTwoFactor(tx, subject);
  if (app === undefined || app.confirmed_at === null) return true;
  if (code === undefined) throw secondFactorRequired();
  const step = stepOfCode(services.keyring.open(app.sealed_secret), code, services.clock.nowMs());
  if (step !== null) return useStep(tx, subject, step);
  const codeHash = recoveryCodeHash(code);
  if (codeHash === null || !(await takeRecoveryCode(tx, subject, codeHash))) return false;
  await recordTwoFactor(services, tx, subject, 'RECOVERY_CODE_USED', actor);
  return true;
}

/**
 * Runs `check`, which checks a code, unless too many codes were wrong. A result of null or `AUTH.TWO_FACTOR_INVALID`
 * counts as a wrong code. Throws 429 `AUTH.LOCKED_OUT`.
 */
export async function limitingWrongCodes<Result>(
  { rateLimits }: MailServices,
  { ability, id }: SubjectName,
  check: () => Promise<Result | null>,
): Promise<Result | null> {
  const key = `${ability}:${id}`;
  // Reserved before the check, so that concurrent guesses are counted too, and refunded if the code was not wrong.
  const reservation = await rateLimits.consume(wrongCodesName, key, wrongCodes);
  if (!reservation.allowed) {
    const message = 'Too many wrong codes. Wait 15 minutes and try again.';
    throw new AppError('AUTH.LOCKED_OUT', message, {
      headers: { 'retry-after': String(reservation.retryAfterSeconds) },
    });
  }
  const refund = () => rateLimits.refund(wrongCodesName, key);
  const result = await check().catch(async (error: unknown) => {
    if (!(error instanceof AppError && error.code === 'AUTH.TWO_FACTOR_INVALID')) await refund();
    throw error;
  });
  if (result !== null) await refund();
  return result;
}

/** Writes an audit record about a subject's second factor. The event is `USER.` or `ADMIN.` followed by `verb`. */
export function recordTwoFactor(
  { clock }: ClockServices,
  tx: PlatformTransaction,
  { ability, id }: SubjectName,
  verb:
    | 'TWO_FACTOR_ENABLED'
    | 'TWO_FACTOR_DISABLED'
    | 'TWO_FACTOR_RESET'
    | 'RECOVERY_CODES_REPLACED'
    | 'RECOVERY_CODE_USED',
  actor: Actor,
): Promise<void> {
  const resourceType = subjectKinds[ability].auditType;
  const event = `${resourceType.toUpperCase()}.${verb}`;
  return recordPlatformAudit(tx, actor, { event, resourceType, resourceId: id, at: clock.now() });
}

/** Returns the error for a login without a code to an account that requires one. */
export function secondFactorRequired(): AppError {
  return new AppError(
    'AUTH.TWO_FACTOR_REQUIRED',
    'This login also requires a code. Send a code of your authenticator app, or a recovery code.',
  );
}

/** Returns the error for a code that is wrong or was used before. */
export function secondFactorInvalid(): AppError {
  return new AppError(
    'AUTH.TWO_FACTOR_INVALID',
    'The code is wrong or was already used. Wait for the next code, or use a recovery code.',
  );
}
