import { configurationError } from '../error.ts';
import { type Store, storeInUse } from './store.ts';

/** The part of `localStorage` that a store needs. */
export interface WebStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** The part of the Web Locks API that a store needs. */
interface LockManager {
  request<Result>(
    name: string,
    options: { readonly mode?: 'shared'; readonly ifAvailable?: true },
    held: (lock: unknown) => Result | Promise<Result>,
  ): Promise<Result>;
}

interface BrowserGlobals {
  readonly localStorage?: WebStorage;
  readonly navigator?: { readonly locks?: LockManager };
}

/**
 * Creates a store in `localStorage`, or in another `Storage`, under a key. Tabs of an origin share the storage. The lock
 * of a recorder, and the count of the tabs that hold a floating seat, need the Web Locks API (every current browser, in
 * secure contexts): without it, the lock does nothing, and the first guard to stop frees the seat.
 */
export function webStore(key = 'licensing', storage?: WebStorage): Store {
  const globals: BrowserGlobals = globalThis;
  // Reading `localStorage` throws where the browser blocks it, so it is read only when it is used.
  const target = () => {
    const found = storage ?? globals.localStorage;
    if (found === undefined) throw configurationError('There is no localStorage here. Pass a Storage to webStore().');
    return found;
  };
  return {
    read: async () => target().getItem(key),
    write: async (text) => target().setItem(key, text),
    lock: () =>
      new Promise((resolve, reject) => {
        const locks = globals.navigator?.locks;
        if (locks === undefined) return resolve(async () => undefined);
        locks
          .request(`licensing:${key}`, { ifAvailable: true }, (lock) => {
            if (lock === null) return reject(storeInUse(`the web storage under ${key}`));
            // The browser holds the lock until this promise ends, and frees the locks of a closed tab.
            return new Promise<void>((end) => resolve(async () => end()));
          })
          .catch(reject);
      }),
    hold: () =>
      new Promise((resolve, reject) => {
        const locks = globals.navigator?.locks;
        if (locks === undefined) return resolve(async () => true);
        const name = `licensing:${key}:holders`;
        const ended: Promise<void> = locks.request(
          name,
          { mode: 'shared' },
          () =>
            new Promise<void>((end) =>
              resolve(async () => {
                end();
                await ended;
                // Nobody else shares the lock if it can be had alone.
                return await locks.request(name, { ifAvailable: true }, (lock) => lock !== null);
              }),
            ),
        );
        ended.catch(reject);
      }),
  };
}
