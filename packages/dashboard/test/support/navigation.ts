import { expect } from 'vitest';
import type { Page, Request } from '../../../../tools/browser/chromium.ts';
import { eventually } from '../../../../tools/eventually.ts';
import { signIn, useWindows } from './screen.ts';

/** A window that shows one screen of the application after the other, and the requests that its page waits for. */
export interface Viewer {
  readonly page: Page;
  readonly running: ReadonlySet<Request>;
}

/** Begins to watch the requests of a window. */
export function watchRequests(page: Page): Viewer {
  const running = new Set<Request>();
  // A frame, such as the preview of a mail, can be replaced while it loads, and its request never ends.
  page.on('request', (request) => request.frame() === page.mainFrame() && running.add(request));
  page.on('requestfinished', (request) => running.delete(request));
  page.on('requestfailed', (request) => running.delete(request));
  return { page, running };
}

/**
 * Shows a path as a link does, and waits for its content: a heading, and neither a skeleton nor a running request. A load
 * of the whole application takes four times as long, and so does axe, which a page that stays has compiled.
 */
export async function goTo({ page, running }: Viewer, path: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(path);
  else await page.evaluate((url) => history.pushState(null, '', url), path);
  await page.waitForFunction(hasRendered, undefined, { polling: 20 });
  await eventually(async () => {
    const isBusy = await page.evaluate(() => {
      const busy = document.querySelector('[aria-busy="true"], .mantine-Skeleton-root[data-visible="true"]');
      return busy !== null || document.querySelector('h1') === null;
    });
    expect([isBusy, [...running].map((request) => request.url())], `what ${path} waits for`).toEqual([false, []]);
  });
}

/** Shows a path like `goTo`, and expects that the service answers it with the application, as it does for a new window. */
export async function openAddress(viewer: Viewer, origin: string, path: string): Promise<void> {
  expect((await fetch(origin + path)).status, `status of ${path}`).toBe(200);
  await goTo(viewer, path);
}

/** Whether the router, which is reachable for its developer tools, has rendered the address, or where it redirects. */
function hasRendered(): boolean {
  interface RouterState {
    readonly status: string;
    readonly location: { readonly pathname: string };
    readonly resolvedLocation?: { readonly pathname: string };
  }
  const { state } = (window as unknown as { __TSR_ROUTER__: { state: RouterState } }).__TSR_ROUTER__;
  const shown = [state.location, state.resolvedLocation].map((location) => decodeURI(location?.pathname ?? ''));
  return state.status === 'idle' && shown.every((pathname) => pathname === decodeURI(window.location.pathname));
}

/**
 * Returns a function that opens an address for an account, in one window per account for all tests of the suite file.
 */
export function useViewers(
  originOf: () => string,
): (account: { readonly token: string }, path: string) => Promise<Page> {
  const windows = useWindows(originOf, { areKept: true });
  const opened = new Map<string, Promise<Viewer>>();
  return async ({ token }, path) => {
    const area = path.startsWith('/admin') ? 'admin' : 'tenant';
    const open = async () => {
      const page = await windows.openWindow();
      await signIn(page, { token, area });
      return watchRequests(page);
    };
    const viewer = opened.get(token) ?? open();
    opened.set(token, viewer);
    await openAddress(await viewer, originOf(), path);
    return (await viewer).page;
  };
}
