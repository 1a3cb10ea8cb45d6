import { randomBytes } from 'node:crypto';
import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import type { Clock, Timestamp } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
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

/**
 * Returns a new invoice id. Ids sort by creation, because invoices with the same timestamp are numbered in the order of
 * their ids.
 */
export function newInvoiceId(): string {
  return `in_${newId().replaceAll('-', '')}`;
}

/**
 * Returns a new random id with a type prefix. It has 128 random bits, because the id of a checkout gives access to its
 * page.
 */
export function newSandboxId(prefix: 'cs' | 'cus' | 'sub' | 'evt' | 'cn'): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}

/** Derives the id of an object from an id of this service (a UUID), so that repeated calls create it once. */
export function sandboxIdOf(prefix: 'cus' | 'in', ownId: string): string {
  return `${prefix}_${ownId.replaceAll('-', '')}`;
}
