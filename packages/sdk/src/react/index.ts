import { useSyncExternalStore } from 'react';
import type { LicenseState } from '../guard/state.ts';
import { type LicenseSource, unstarted } from '../license-source.ts';

export type { LicenseState } from '../guard/state.ts';
export type { LicenseSource } from '../license-source.ts';

/** What a component knows about the license. The object is the same until the license changes. */
export interface LicenseView extends LicenseState {
  /** Whether the first check still runs; `status` is `unlicensed` meanwhile. Show neither a refusal nor the application. */
  readonly isChecking: boolean;
  /** Returns whether the application may be used and the license grants an entitlement. */
  readonly has: (entitlement: string) => boolean;
  /** Asks the service now. */
  readonly refresh: () => Promise<LicenseState>;
}

/**
 * Returns what a guard knows about the license, and renders the component again when that changes. The guard starts with
 * the first component that uses it and stops with the last one, so do not call `start()` yourself. Create it once,
 * outside of components. On a server and until the page is hydrated, the license is one that is still checked.
 */
export function useLicense(guard: LicenseSource): LicenseView {
  const shared = sharedOf(guard);
  return useSyncExternalStore(shared.subscribe, shared.current, shared.onServer);
}

/** What all components that use one guard share. */
interface Shared {
  subscribe(listener: () => void): () => void;
  current(): LicenseView;
  onServer(): LicenseView;
}

const sharedByGuard = new WeakMap<LicenseSource, Shared>();

function sharedOf(guard: LicenseSource): Shared {
  const known = sharedByGuard.get(guard);
  if (known) return known;
  const shared = share(guard);
  sharedByGuard.set(guard, shared);
  return shared;
}

function share(guard: LicenseSource): Shared {
  const listeners = new Set<() => void>();
  const atFirst = viewOf(unstarted, guard);
  // Kept until the event, because the state of a guard may differ between two components that render in between.
  let current = atFirst;
  let seen: LicenseState | undefined;
  let leave: (() => void) | undefined;

  const read = () => {
    const { state } = guard;
    if (state === seen) return;
    seen = state;
    current = viewOf(state, guard);
  };
  const update = () => {
    read();
    for (const listener of listeners) listener();
  };
  const join = () => {
    const stopListening = guard.on('change', update);
    void guard.start?.();
    // It may have changed since the component rendered.
    update();
    return () => {
      stopListening();
      void guard.stop?.();
    };
  };
  const leaveIfUnused = () => {
    if (listeners.size > 0) return;
    leave?.();
    [leave, seen, current] = [undefined, undefined, atFirst];
  };
  read();
  return {
    current: () => current,
    onServer: () => atFirst,
    subscribe(changed) {
      // Not `changed` itself: two components may pass the same function.
      const listener = () => changed();
      listeners.add(listener);
      leave ??= join();
      return () => {
        listeners.delete(listener);
        // Strict mode and a change of the page unmount the last component and mount another one at once.
        setTimeout(leaveIfUnused, 0);
      };
    },
  };
}

function viewOf(state: LicenseState, guard: LicenseSource): LicenseView {
  const { status, reason } = state;
  return {
    ...state,
    isChecking: status === 'unlicensed' && (reason === 'GUARD.NOT_STARTED' || reason === 'GUARD.CHECKING'),
    // What this state does not grant, no component may offer, although the guard may know more by now.
    has: (entitlement) => state.entitlements.some(({ code }) => code === entitlement) && guard.has(entitlement),
    refresh: () => guard.refresh(),
  };
}
