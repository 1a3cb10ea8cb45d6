import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import type { Clock, Timestamp } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';

/** Posts a signed event to the service's own surface. Answers the HTTP status; throws when there is no answer. */
export type SendEvent = (message: {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}) => Promise<number>;

/**
 * Enqueues the work that depends on the sandbox's clock, in the transaction that advances it. `at` is by the service's
 * clock.
 */
export type OnClockAdvanced = (tx: PlatformTransaction, at: Timestamp) => Promise<void>;

/** What the sandbox is made of. */
export interface SandboxContext {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly keyring: Keyring;
  /** Where browsers reach the service; without a slash at its end. */
  readonly publicUrl: string;
  readonly sendEvent: SendEvent;
  readonly onClockAdvanced: OnClockAdvanced;
  /** Has background work looked for, after a commit that made some. */
  readonly kick: () => void;
}
