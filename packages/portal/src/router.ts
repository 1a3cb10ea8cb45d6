import { type MouseEvent, useSyncExternalStore } from 'react';

/** What the address of the page asks for. */
export type Route =
  | { readonly screen: 'licenses' }
  | { readonly screen: 'license'; readonly licenseId: string }
  | { readonly screen: 'offline'; readonly licenseId: string }
  | { readonly screen: 'purchase' }
  | { readonly screen: 'unknown' };

/** Stands in place of the handle at a domain of the vendor's own, where the portal begins at `/`. */
const domainHandle = '_';

/** Returns the segments of a path: the handle of the portal, and what follows it. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1);
  return segments[0] === 'portal' ? segments.slice(1) : [domainHandle, ...segments];
}

/** Returns the handle of the portal in a path, such as `acme` in `/portal/acme/licenses/1`. */
export const handleIn = (path: string): string => decode(segmentsOf(path)[0] ?? '');

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the screen of a path. */
export function routeOf(path: string): Route {
  const [area, id, part, ...more] = segmentsOf(path)
    .slice(1)
    .filter((segment) => segment !== '')
    .map(decode);
  if (area === undefined) return { screen: 'licenses' };
  if (area === 'purchase' && id === undefined) return { screen: 'purchase' };
  if (area !== 'licenses' || id === undefined || more.length > 0) return { screen: 'unknown' };
  if (part === undefined) return { screen: 'license', licenseId: id };
  return part === 'offline' ? { screen: 'offline', licenseId: id } : { screen: 'unknown' };
}

/** Returns the path of a screen. */
export function pathOf(handle: string, route: Exclude<Route, { screen: 'unknown' }>): string {
  const root = handle === domainHandle ? '' : `/portal/${encodeURIComponent(handle)}`;
  if (route.screen === 'licenses') return root === '' ? '/' : root;
  if (route.screen === 'purchase') return `${root}/purchase`;
  const license = `${root}/licenses/${encodeURIComponent(route.licenseId)}`;
  return route.screen === 'offline' ? `${license}/offline` : license;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('popstate', changed);
  return () => window.removeEventListener('popstate', changed);
}

/** Returns the path of the page, and follows its changes. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** Shows another path. */
function go(path: string): void {
  window.history.pushState(null, '', path);
  showPath();
}

function showPath(): void {
  window.dispatchEvent(new PopStateEvent('popstate'));
  window.scrollTo(0, 0);
}

/** What the entry of a license in the history says if the list has nothing else. */
const onlyLicense = 'only license';

/** Shows a license in place of the list, which has nothing else. The Back button leaves the page. */
export function goToOnlyLicense(path: string): void {
  window.history.replaceState(onlyLicense, '', path);
  showPath();
}

/** Returns true if the license was shown in place of the list, also after the page was loaded again. */
export const isOnlyLicense = (): boolean => window.history.state === onlyLicense;

/** Follows a link without loading the page, unless the person wants it in another tab. */
export function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(event.currentTarget.pathname);
}

/** The checkout from which a shop sent the buyer here. */
export interface Checkout {
  readonly connection: string;
  readonly id: string;
}

/** Returns the checkout in the address of the purchase page; null if the address is incomplete. */
export function checkoutIn(search: string): Checkout | null {
  const query = new URLSearchParams(search);
  const [connection, id] = [query.get('connection') ?? '', query.get('id') ?? ''];
  return connection === '' || id === '' ? null : { connection, id };
}

/** Takes the token of a link in a mail out of the address, so that it stays in no history. Returns null without one. */
export function takeLinkToken(): string | null {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (token !== null) window.history.replaceState(null, '', window.location.pathname);
  return token;
}
