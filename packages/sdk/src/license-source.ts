import { type LicenseState, notStarted } from './guard/state.ts';

/** A guard, or what stands for the guard of another process: it has a state and tells when that changes. */
export interface LicenseSource {
  readonly state: LicenseState;
  /** Returns whether the application may be used and the license grants an entitlement. */
  has(entitlement: string): boolean;
  /** Adds a listener, and returns the function that removes it. */
  on(event: 'change', listener: () => void): () => void;
  /** Asks the service now, and returns the new state. */
  refresh(): Promise<LicenseState>;
  start?(): Promise<unknown>;
  stop?(): Promise<unknown>;
}

/** The state of a guard that has not started. */
export const unstarted: LicenseState = {
  status: 'unlicensed',
  reason: notStarted.code,
  detail: notStarted.detail,
  // Only a guard has the texts, and nobody needs one before it starts.
  message: '',
  until: null,
  checkedAt: null,
  entitlements: [],
  license: null,
};
