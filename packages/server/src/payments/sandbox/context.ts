import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import type { Clock, Timestamp } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import type { TaxRules } from '../tax/taxes.ts';

/** Posts a signed event to the service's own webhook. Returns the HTTP status; throws when there is no response. */
export type SendEvent = (message: {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}) => Promise<number>;

/**
 * Enqueues the work that depends on the sandbox's clock, in the transaction that advances it. `at` is by the service's
 * clock.
 */
export type OnClockAdvanced = (tx: PlatformTransaction, at: Timestamp) => Promise<void>;

/** The dependencies of the sandbox. */
export interface SandboxContext {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly keyring: Keyring;
  /** The URL at which browsers reach the service, without a trailing slash. */
  readonly publicUrl: string;
  readonly taxRules: TaxRules;
  readonly sendEvent: SendEvent;
  readonly onClockAdvanced: OnClockAdvanced;
  /** Wakes the job runner. Call it after a commit that enqueued a job. */
  readonly kick: () => void;
}
