import { LicensingError, wrapped } from '../error.ts';
import { toHex } from '../request.ts';
import { isUnreadable, parseStored, type Store } from '../stores/store.ts';
import type { GuardClock } from './clock.ts';
import type { Reason } from './state.ts';

/** What the last answer of the service left behind. */
export interface AnswerMemory {
  /** The last certificate; null after a refusal. */
  readonly certificate: string | null;
  /** The last refusal; null after a positive answer. */
  readonly denial: Reason | null;
  /** When the service refused, in milliseconds since 1970; null without a refusal. */
  readonly deniedAtMs: number | null;
  /** The release that `denial` is about, in milliseconds since 1970; null: it is about every release. */
  readonly release?: number | null;
  /** The id of the license, so that a later answer about another license is noticed. */
  readonly licenseId: string | null;
}

/** The seat of this machine. */
export interface Seat {
  readonly id: string;
  readonly fingerprint: string;
  /** The length of the lease; null for a seat that stays until it is freed. */
  readonly leaseMs: number | null;
}

const kind = 'LicenseGuard';
const nothing: AnswerMemory = { certificate: null, denial: null, deniedAtMs: null, licenseId: null };

/**
 * The memory of a guard, in its store. Processes may share the store: what this process did not learn itself it takes
 * from the store, before each check and before each write, so that no process brings a discarded certificate back. A
 * store that fails is reported and never stops the guard.
 */
export class GuardMemory {
  readonly #store: Store;
  readonly #clock: GuardClock;
  #licenseKey: string;
  /** Whether the key is kept in the store, because the application does not have it. */
  #keepsKey: boolean;
  readonly #emit: (error: LicensingError) => void;
  /** The code of the last error that was reported, until a write succeeds: one broken store is one error. */
  #reported: LicensingError['code'] | null = null;
  /** Ends the hold of the store, and returns whether it was the last one; absent while the guard does not run. */
  #held: Promise<() => Promise<boolean>> | undefined;
  #answer = nothing;
  #seat: Seat | null = null;
  #isAnswerNew = false;
  #isSeatNew = false;

  constructor(store: Store, clock: GuardClock, licenseKey: string, report: (error: LicensingError) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#licenseKey = licenseKey;
    this.#keepsKey = licenseKey === '';
    this.#emit = report;
  }

  /** The license key: of the application, of the store, or of `adopt`; empty if there is none. */
  get licenseKey(): string {
    return this.#licenseKey;
  }

  /** Continues with another license key, which the store keeps from now on. */
  adopt(licenseKey: string): void {
    if (licenseKey !== this.#licenseKey) {
      this.answer = nothing;
      this.seat = null;
    }
    this.#licenseKey = licenseKey;
    this.#keepsKey = true;
  }

  get answer(): AnswerMemory {
    return this.#answer;
  }

  set answer(answer: AnswerMemory) {
    this.#answer = answer;
    this.#isAnswerNew = true;
  }

  get seat(): Seat | null {
    return this.#seat;
  }

  set seat(seat: Seat | null) {
    this.#seat = seat;
    this.#isSeatNew = true;
  }

  /** Reads what this process does not know better. Never rejects. */
  async load(): Promise<void> {
    await this.#load().catch((error) => this.#report(error));
  }

  /** Writes everything. Never rejects; what could not be written is written by the next call. */
  async save(): Promise<void> {
    try {
      // A store that cannot be read is not overwritten: it may hold a certificate that is still good.
      const key = await this.#load();
      const kept = this.#keepsKey && this.#licenseKey !== '' ? { licenseKey: this.#licenseKey } : {};
      const state = { kind, key, ...kept, ...this.#answer, seat: this.#seat, ...this.#clock.memory };
      await this.#store.write(JSON.stringify(state));
      this.#isAnswerNew = false;
      this.#isSeatNew = false;
      this.#reported = null;
    } catch (error) {
      this.#report(error);
    }
  }

  /** Adds this guard to the holders of the store. Never throws. */
  hold(): void {
    this.#held ??= this.#hold();
  }

  /**
   * Ends the hold, and returns whether a floating seat may be freed: no other guard holds the store, or the store does
   * not count them. If the store fails, that is unknown, and the seat ends with its lease. Never rejects.
   */
  async leave(): Promise<boolean> {
    // A guard that was only refreshed does not hold the store, but another one may.
    const release = await (this.#held ?? this.#hold());
    this.#held = undefined;
    try {
      return await release();
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  async #hold(): Promise<() => Promise<boolean>> {
    try {
      return (await this.#store.hold?.()) ?? (async () => true);
    } catch (error) {
      this.#report(error);
      return async () => false;
    }
  }

  #report(cause: unknown): void {
    const error = wrapped('STORE.FAILED', cause, 'Check the store.');
    if (error.code === this.#reported) return;
    this.#reported = error.code;
    this.#emit(error);
  }

  /** Returns the name under which the memory of this license key is kept. */
  async #load(): Promise<string> {
    const stored = await this.#read();
    // Another process may have adopted the key.
    if (this.#licenseKey === '' && typeof stored?.['licenseKey'] === 'string') this.#licenseKey = stored['licenseKey'];
    const key = await digestOf(this.#licenseKey);
    if (stored === null) return key;
    const { latestMs, offsetMs, seat } = stored as Partial<StoredMemory>;
    if (Number.isFinite(latestMs) && !this.#isAnswerNew) {
      this.#clock.adopt({ latestMs: Number(latestMs), offsetMs: Number.isFinite(offsetMs) ? Number(offsetMs) : 0 });
    }
    // The memory of another license key ends with the next write.
    if (stored['key'] !== key) return key;
    if (!this.#isAnswerNew) this.#answer = answerIn(stored);
    if (!this.#isSeatNew) this.#seat = seat ?? null;
    return key;
  }

  async #read(): Promise<Record<string, unknown> | null> {
    const text = await this.#store.read();
    try {
      return parseStored(text, kind);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#report(error);
      return null;
    }
  }
}

type StoredMemory = AnswerMemory & { readonly seat: Seat | null; readonly latestMs: number; readonly offsetMs: number };

function answerIn(stored: Partial<AnswerMemory>): AnswerMemory {
  const { certificate = null, denial = null, deniedAtMs = null, release = null, licenseId = null } = stored;
  return { certificate, denial, deniedAtMs, release, licenseId };
}

/** Returns the SHA-256 of a license key in hex: the store does not hold the key. */
async function digestOf(licenseKey: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(licenseKey))));
}

/** Throws `CERTIFICATE_FILE.TOO_OLD` for a certificate from before the last refusal, which it would undo. */
export function assertLater(issuedAtMs: number, { deniedAtMs }: AnswerMemory): void {
  // A certificate names whole seconds.
  if (deniedAtMs === null || issuedAtMs + 1000 > deniedAtMs) return;
  const message = 'The service has refused the license since this certificate was issued. Request a new one.';
  throw new LicensingError({ code: 'CERTIFICATE_FILE.TOO_OLD', message });
}

type Release = { readonly versionReleasedAt?: string | Date | undefined };

/** Returns when a release of the application was published, in milliseconds since 1970; 0 if it does not say so. */
export function releaseMs({ versionReleasedAt }: Release): number {
  return new Date(versionReleasedAt ?? 0).getTime();
}

/** Returns the last refusal, unless it is about another release of the application. */
export function denialFor({ denial, release = null }: AnswerMemory, options: Release): Reason | null {
  return release === null || release === releaseMs(options) ? denial : null;
}
