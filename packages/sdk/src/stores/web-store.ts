import { configurationError } from '../error.ts';
import { type Store, storeInUse } from './store.ts';

/** The part of `localStorage` that a store needs. */
export interface WebStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** The part of the Web Locks API that a store needs. */
interface LockManager {
  request(name: string, options: { ifAvailable: true }, held: (lock: unknown) => unknown): Promise<unknown>;
}

interface BrowserGlobals {
  readonly localStorage?: WebStorage;
  readonly navigator?: { readonly locks?: LockManager };
}

/**
 * Creates a store in `localStorage`, or in another `Storage`, under a key. Tabs of an origin share the storage; the lock
 * of a recorder needs the Web Locks API (every current browser, in secure contexts), and does nothing without it.
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
  };
}
