import type { PlatformTransaction, TenantDb } from '../../../db/database.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { Services } from '../../../services.ts';

// What a feature says of the personal data that it holds: `personal-data.ts` of each, listed in `holders.ts`.

/** Somebody with an account. */
export interface Person {
  readonly id: string;
  /** In its stored spelling. */
  readonly email: string;
  readonly name: string;
}

/** Some rows of an export, without anything secret. `next`: where to read on, null at the end. */
export interface PersonalRows {
  readonly rows: readonly object[];
  readonly next: string | null;
}

/** Rows of one read at most. */
export const personalRowsMax = 500;

/** What is held in the platform database. */
export interface PersonalData {
  /** The name of its list in an export. */
  readonly section: string;
  /** The tables that it answers for: a test looks for tables about people that are in no list. */
  readonly tables: readonly (keyof PlatformTables)[];
  read(services: Services, person: Person, after: string | null): Promise<PersonalRows>;
  /** What is too much for one transaction, or stands in files: done before `erase`, and safe to repeat. */
  eraseBefore?(services: Services, person: Person): Promise<void>;
  /** Removes the rest, or what tells of whom it is, in the transaction that removes the user. */
  erase(tx: PlatformTransaction, person: Person): Promise<void>;
}

/** What is held in the database of a tenant. */
export interface TenantPersonalData {
  /** `record` of its rows in the list `tenants` of an export. */
  readonly record: string;
  read(db: TenantDb, person: Person, after: string | null): Promise<PersonalRows>;
  /** Removes it, or what tells of whom it is. Safe to repeat. Answers whether anything was changed. */
  erase(db: TenantDb, person: Person): Promise<boolean>;
}

/** The implementations, in the order in which data is exported and erased; `src/personal-data-holders.ts` lists them. */
export interface PersonalDataHolders {
  readonly platform: readonly PersonalData[];
  readonly tenant: readonly TenantPersonalData[];
}

/** Where rows that are read by time go on: many can be of the same moment. */
export function positionAfter(after: string | null): readonly [time: string, id: string] {
  const [time = '', id = ''] = (after ?? '').split(' ');
  return [time, id];
}

/** A page of rows that were read by time and id with a limit of `personalRowsMax`. */
export function personalRows<Row extends { readonly id: string }>(
  rows: readonly Row[],
  timeOf: (row: Row) => string,
): PersonalRows {
  const last = rows.at(-1);
  const next = last === undefined || rows.length < personalRowsMax ? null : `${timeOf(last)} ${last.id}`;
  return { rows, next };
}

/** Rows that are always few. */
export function allPersonalRows(rows: readonly object[]): PersonalRows {
  return { rows, next: null };
}
