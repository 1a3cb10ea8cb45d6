import type { AnyRouter } from '@tanstack/react-router';
import { bodyOf } from '../../api/body.ts';
import { apiOf } from '../../api/client.ts';
import type { logIn } from '../../api/identity.ts';
import { Problem } from '../../api/problem.ts';
import type { Area } from '../../api/session.ts';
import { safeNext } from '../../shell/require-session.ts';

type Login = Awaited<ReturnType<typeof logIn>>;

/** Returns whether the operator demands two-factor authentication of the admin, who has none yet. */
async function mustSetUpTwoFactor(): Promise<boolean> {
  const api = apiOf({ area: 'admin', tenantId: null });
  try {
    await bodyOf(api.GET('/api/v1/admin/tenants', { params: { query: { limit: 1 } } }));
    return false;
  } catch (error) {
    return error instanceof Problem && error.code === 'AUTH.TWO_FACTOR_SETUP_REQUIRED';
  }
}

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
