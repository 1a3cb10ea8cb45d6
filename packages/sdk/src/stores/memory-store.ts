import { type Store, storeInUse } from './store.ts';

/** Creates a store that lasts as long as the process: for tests, and for applications that are always online. */
export function memoryStore(): Store {
  let text: string | null = null;
  let isLocked = false;
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
  };
}
