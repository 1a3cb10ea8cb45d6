import { redirect } from '@tanstack/react-router';
import { type Area, readSession } from '../api/session.ts';

/** Redirects to the login page of an area unless there is a session; the login leads back to the same page. */
export function requireSession(area: Area, href: string): void {
  if (readSession(area) !== null) return;
  throw redirect({ to: loginPath(area), search: { next: href }, replace: true });
}

/** Redirects from the login page of an area to the page after it if there is a session. */
export function skipLogin(area: Area, next: string | undefined): void {
  if (readSession(area) !== null) throw redirect({ href: safeNext(next, area), replace: true });
}

/** Returns the login page of an area. */
export function loginPath(area: Area): '/login' | '/admin/login' {
  return area === 'admin' ? '/admin/login' : '/login';
}

/**
 * Returns the page to open after a login. Only paths of this application are accepted: a link to the login page must not
 * lead to another site.
 */
export function safeNext(next: string | undefined, area: Area): string {
  const home = area === 'admin' ? '/admin' : '/overview';
  if (next === undefined || !next.startsWith('/') || next.startsWith('//') || next.includes('\\')) return home;
  const isAdminPath = next === '/admin' || next.startsWith('/admin/') || next.startsWith('/admin?');
  return isAdminPath === (area === 'admin') ? next : home;
}
