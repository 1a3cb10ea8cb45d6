import type { PlatformTransaction } from '../../../db/database.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { recoveryCodeHash, stepOfCode } from './two-factor.ts';
import { findTwoFactor, type SubjectName, takeRecoveryCode, useStep } from './two-factor-queries.ts';

type CodeServices = Pick<Services, 'clock' | 'keyring'>;

/** From whatever addresses: a code has only six digits, and whoever guesses one knows the password already. */
const wrongCodes = { limit: 20, windowSeconds: 15 * 60 };
const wrongCodesName = 'two-factor-failures';

/**
 * Checks the second factor of a subject in the caller's transaction, and uses the code up: each is accepted once, of
 * the app or for recovery. True when it fits, and without an app that was confirmed; false when it is wrong. Throws 401
 * `AUTH.TWO_FACTOR_REQUIRED` when there is an app and no code.
 */
export async function checkSecondFactor(
  services: CodeServices,
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

/** Runs what checks a code, unless too many were wrong. Throws 429 `AUTH.LOCKED_OUT`. */
export async function limitingWrongCodes<Result>(
  { rateLimits }: Pick<Services, 'rateLimits'>,
  { ability, id }: SubjectName,
  check: () => Promise<Result | null>,
): Promise<Result | null> {
  const key = `${ability}:${id}`;
  // Reserved beforehand, so that parallel guesses are counted as well.
  const reservation = await rateLimits.consume(wrongCodesName, key, wrongCodes);
  if (!reservation.allowed) {
    const sentence = 'Too many codes were wrong. Wait a quarter of an hour and try again.';
    throw new AppError('AUTH.LOCKED_OUT', sentence, {
      headers: { 'retry-after': String(reservation.retryAfterSeconds) },
    });
  }
  const giveBack = () => rateLimits.refund(wrongCodesName, key);
  const result = await check().catch(async (error: unknown) => {
    if (!(error instanceof AppError && error.code === 'AUTH.TWO_FACTOR_INVALID')) await giveBack();
    throw error;
  });
  if (result !== null) await giveBack();
  return result;
}

/** Writes an audit record of a subject's second factor: `USER.` or `ADMIN.` and the verb. */
export function recordTwoFactor(
  { clock }: Pick<Services, 'clock'>,
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
  const resourceType = ability === 'admin' ? 'admin' : 'user';
  const event = `${resourceType.toUpperCase()}.${verb}`;
  return recordPlatformAudit(tx, actor, { event, resourceType, resourceId: id, at: clock.now() });
}

export function secondFactorRequired(): AppError {
  return new AppError(
    'AUTH.TWO_FACTOR_REQUIRED',
    'Send the code of your authenticator app, or a recovery code, as well.',
  );
}

export function secondFactorInvalid(): AppError {
  return new AppError(
    'AUTH.TWO_FACTOR_INVALID',
    'The code is wrong or was used already. Wait for the next one, or use a recovery code.',
  );
}
