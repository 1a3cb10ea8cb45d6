import type { Config } from '../../../config/config.ts';
import type { PlatformDb, PlatformTransaction, TenantDb } from '../../../db/database.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Keyring } from '../../../lib/keyring.ts';

// The personal data contract: each feature that stores personal data implements it in its `personal-data.ts`.
// `src/personal-data-holders.ts` lists the implementations.

/** A user whose data is exported or erased. */
export interface Person {
  readonly id: string;
  /** In its normalised, stored spelling. */
  readonly email: string;
  /** Former addresses of the person that no user has now. */
  readonly formerEmails: readonly string[];
  readonly name: string;
}

/** Returns the present and the former addresses of a person. */
export function addressesOf({ email, formerEmails }: Person): string[] {
  return [email, ...formerEmails];
}

/** One page of an export, without secrets. `next` is the position to continue after; null on the last page. */
export interface PersonalRows {
  readonly rows: readonly object[];
  readonly next: string | null;
}

/** The maximum number of rows per page. */
export const personalRowsMax = 500;

/** The services that implementations of the contract use. */
export interface PersonalDataServices {
  readonly clock: Clock;
  readonly config: Config;
  readonly keyring: Keyring;
  readonly platform: PlatformDb;
}

/** The obligations of a feature that stores personal data in the platform database. */
export interface PersonalData {
  /** The name of the list in an export. */
  readonly section: string;
  /** The tables that this implementation covers; a test finds uncovered tables with personal data. */
  readonly tables: readonly (keyof PlatformTables)[];
  /** Reads one page, after the position `after`. */
  read(services: PersonalDataServices, person: Person, after: string | null): Promise<PersonalRows>;
  /**
   * Erases data that is too large for one transaction or is stored in files. It runs before `erase` and is idempotent.
   */
  eraseBefore?(services: PersonalDataServices, person: Person): Promise<void>;
  /** Deletes or pseudonymises the remaining data in the transaction that deletes the user. */
  erase(tx: PlatformTransaction, person: Person): Promise<void>;
}

/** The obligations of a feature that stores personal data in a tenant's database. */
export interface TenantPersonalData {
  /** The value of `record` in its rows of the list `tenants` of an export. */
  readonly record: string;
  /** Reads one page, after the position `after`. */
  read(db: TenantDb, person: Person, after: string | null): Promise<PersonalRows>;
  /** Deletes or pseudonymises the data; idempotent. Returns whether anything was changed. */
  erase(db: TenantDb, person: Person): Promise<boolean>;
}

/**
 * The implementations, in the order in which data is exported and erased; `src/personal-data-holders.ts` lists them.
 */
export interface PersonalDataHolders {
  readonly platform: readonly PersonalData[];
  readonly tenant: readonly TenantPersonalData[];
}

/** Parses a position of `personalRows`: time and id, because many rows can have the same time. */
export function positionAfter(after: string | null): readonly [time: string, id: string] {
  const [time = '', id = ''] = (after ?? '').split(' ');
  return [time, id];
}

/** Builds a page of rows that were read in the order of time and id, with the limit `personalRowsMax`. */
export function personalRows<Row extends { readonly id: string }>(
  rows: readonly Row[],
  timeOf: (row: Row) => string,
): PersonalRows {
  const last = rows.at(-1);
  const next = last === undefined || rows.length < personalRowsMax ? null : `${timeOf(last)} ${last.id}`;
  return { rows, next };
}

/** Builds the only page of rows that are always few. */
export function allPersonalRows(rows: readonly object[]): PersonalRows {
  return { rows, next: null };
}
