import { configurationError } from '../error.ts';
import { isGranted, type LicenseState } from '../guard/state.ts';
import { type LicenseSource, unstarted } from '../license-source.ts';

/** What the preload script gives to a page as `window.licensing`. */
export interface LicenseBridge {
  /** Returns a copy of the newest state; null until the first one arrives. */
  state(): LicenseState | null;
  onChange(listener: () => void): () => void;
  refresh(): Promise<LicenseState>;
}

/**
 * Returns the license in a page: it has `state`, `has`, `on('change', listener)` and `refresh()` as the guard in the main
 * process, and `useLicense` takes it. Throws `CONFIGURATION.INVALID` if the preload script has not run.
 */
export function rendererLicense(): LicenseSource {
  // The preload script defines it; nothing else does.
  const { licensing: bridge } = globalThis as { readonly licensing?: LicenseBridge };
  if (bridge === undefined) {
    throw configurationError(
      'This page has no `window.licensing`. Register the preload script @licensing/sdk/electron/preload for its session.',
    );
  }
  return {
    get state() {
      return bridge.state() ?? unstarted;
    },
    has(entitlement) {
      return isGranted(this.state, entitlement, Date.now());
    },
    on: (_event, listener) => bridge.onChange(listener),
    refresh: () => bridge.refresh(),
  };
}
