import type { AnyRouter } from '@tanstack/react-router';
import { type logIn, mustSetUpTwoFactor } from '../../api/identity.ts';
import type { Area } from '../../api/session.ts';
import { safeNext } from '../../shell/require-session.ts';

type Login = Awaited<ReturnType<typeof logIn>>;

async function pathAfter(area: Area, login: Login, next: string | undefined): Promise<string> {
  if (area === 'admin') {
    const isMissing = !login.two_factor_enabled && (await mustSetUpTwoFactor());
    return isMissing ? '/admin/account' : safeNext(next, area);
  }
  // Without a tenant, everything else needs a verified address first.
  const isNew = login.tenants.length === 0 && login.user?.email_verified_at === null;
  return isNew ? '/verify-email' : safeNext(next, area);
}

/** Opens the page that follows a login: the one that the person came from, unless a step must come first. */
export async function openAfterLogin(
  { history }: Pick<AnyRouter, 'history'>,
  area: Area,
  login: Login,
  next?: string,
): Promise<void> {
  history.replace(await pathAfter(area, login, next));
}
