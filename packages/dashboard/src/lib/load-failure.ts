/** The message of an error: the code of a screen could not be loaded. */
const loadFailure = 'The code of this page could not be loaded.';

/**
 * Gives failed loads of code a message of their own. By the browser's message, the router would recognise them and load the
 * whole page again, which replaces the application with the browser's error page while there is no network.
 */
export function nameLoadFailures(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    payload.message = loadFailure;
  });
}

/** Returns whether an error is a failed load of code. */
export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && error.message === loadFailure;
}

const reloadedKey = 'licensing.reloaded';

/** Loads the whole page again if the service answers; returns false if it does not. */
export async function reloadIfReachable(): Promise<boolean> {
  try {
    await fetch(window.location.href, { cache: 'no-store' });
  } catch {
    return false;
  }
  window.location.reload();
  return true;
}

/** Like `reloadIfReachable`, once per address: a new version has other files, and the page that is loaded again uses them. */
export async function reloadOnce(): Promise<void> {
  if (sessionStorage.getItem(reloadedKey) === window.location.href) return;
  sessionStorage.setItem(reloadedKey, window.location.href);
  if (!(await reloadIfReachable())) sessionStorage.removeItem(reloadedKey);
}
