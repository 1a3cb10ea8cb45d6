import type { SignUpMode } from '../../../config/config.ts';
import { AppError } from '../../../lib/error.ts';

/** How a person without an account asks for one. */
type SignUpWay = 'registration' | 'single sign-on' | 'invitation';

/**
 * Checks that `SIGN_UP` lets a person without an account get one. Call it also where an account may exist already and
 * the caller must not learn whether it does. Throws 403 `AUTH.SIGN_UP_CLOSED`.
 */
export function requireSignUp({ signUp }: { readonly signUp: SignUpMode }, way: SignUpWay): void {
  if (signUp === 'open' || (signUp === 'invite' && way === 'invitation')) return;
  throw new AppError('AUTH.SIGN_UP_CLOSED', closedMessages[signUp]);
}

const closedMessages = {
  invite:
    'This service creates accounts by invitation only. Ask the owner of a tenant to invite you, and open the link in the mail.',
  off: 'This service creates no new accounts. Ask its operator for access.',
} as const;
