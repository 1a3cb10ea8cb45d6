import type { PlatformUser } from '../../api/users.ts';

/** Returns the state of an account as a badge shows it. */
export function userStatus(user: Pick<PlatformUser, 'disabled_at' | 'email_verified_at'>) {
  if (user.disabled_at !== null) return { status: 'disabled' } as const;
  if (user.email_verified_at === null) return { status: 'pending', label: 'Unverified' } as const;
  return { status: 'active' } as const;
}
