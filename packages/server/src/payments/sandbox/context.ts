import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import type { Clock, Timestamp } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { PaymentProviderError } from '../provider.ts';
import type { TaxRules } from '../tax/taxes.ts';

/** Sends a signed event to the service's own webhook, through its router. Returns the HTTP status. */
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
 * Returns a new random id with a type prefix. It has 128 random bits, because the id of a checkout gives access to its
 * page.
 */
export function newSandboxId(prefix: 'cs' | 'cus' | 'sub' | 'evt' | 'cn'): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}

/**
 * Derives the id of an object from an id of this service (a UUID), so that repeated calls create it once. The ids of
 * invoices sort by creation, because invoices with the same timestamp are numbered in the order of their ids.
 */
export function sandboxIdOf(prefix: 'cus' | 'in', ownId: string): string {
  return `${prefix}_${ownId.replaceAll('-', '')}`;
}

/** Returns the error of a request that the sandbox does not perform, now or ever. */
export function refusal(message: string): PaymentProviderError {
  return new PaymentProviderError('refused', message);
}

/**
 * Returns whether a value is the beginning of the hash of a text, of the given length, under the application key or a
 * previous one. Compares in constant time.
 */
export function isHashOf(keyring: Keyring, text: string, value: string, length: number): boolean {
  const given = Buffer.from(value);
  return [keyring.hash(text), ...keyring.previousHashes(text)]
    .map((hash) => Buffer.from(hash.slice(0, length)))
    .some((one) => one.length === given.length && timingSafeEqual(one, given));
}

/** Throws `declined` for the problem of a payment, if there is one. */
export function assertPaid(problem: string | null | undefined): void {
  if (problem != null) throw new PaymentProviderError('declined', problem);
}
