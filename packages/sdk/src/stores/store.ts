import { LicensingError } from '../error.ts';

/**
 * Keeps one text between the runs of an application. An own implementation needs `read` and `write`; a write must
 * replace the text completely or not at all.
 */
export interface Store {
  /** Returns the text; null before the first write. */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
  /**
   * Makes this process the only writer, and returns the function that ends that. Rejects with `STORE.IN_USE` while
   * another writer has the store. `UsageRecorder` calls it; `LicenseGuard` shares a store with other processes.
   */
  lock?(): Promise<() => Promise<void>>;
  /**
   * Counts a user of the store until the returned function is called, or the process ends in any way. That function
   * returns whether no other user is left. A running `LicenseGuard` is one: a floating seat belongs to the machine, and
   * the last guard to stop frees it. Without this method, every guard that stops frees it.
   */
  hold?(): Promise<() => Promise<boolean>>;
}

/** Returns the error of a store that has another writer. */
export function storeInUse(where: string): LicensingError {
  const message = `Another process or recorder writes to ${where}. Give each UsageRecorder a store of its own.`;
  return new LicensingError({ code: 'STORE.IN_USE', message });
}

/**
 * Returns the object in the text of a store, or null for an empty store. Each owner's text has a field `kind`, so that
 * a guard and a recorder with the same store do not overwrite each other: throws `STORE.FOREIGN` for another kind.
 * Throws `STORE.UNREADABLE` for a text that is not JSON.
 */
export function parseStored(text: string | null, kind: string): Record<string, unknown> | null {
  if (text === null || text === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(cause);
  }
  if (isRecord(value) && value['kind'] === kind) return value;
  const message = `The store belongs to something other than a ${kind}. Give the ${kind} a store of its own.`;
  throw new LicensingError({ code: 'STORE.FOREIGN', message });
}

/** Whether an error says that the text of a store is no JSON. */
export function isUnreadable(error: unknown): boolean {
  return Object(error).code === 'STORE.UNREADABLE';
}

function unreadable(cause: unknown): LicensingError {
  const message = 'The store holds no JSON, so its state is lost. Let nothing else write to it.';
  return new LicensingError({ code: 'STORE.UNREADABLE', message, cause });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Creates a store that lasts as long as the process: for tests, and for applications that are always online. */
export function memoryStore(): Store {
  let text: string | null = null;
  let isLocked = false;
  let holders = 0;
  return {
    read: async () => text,
    async write(next) {
      text = next;
    },
    async lock() {
      if (isLocked) throw storeInUse('the memory store');
      isLocked = true;
      return async () => {
        isLocked = false;
      };
    },
    async hold() {
      holders += 1;
      return async () => {
        holders -= 1;
        return holders === 0;
      };
    },
  };
}
