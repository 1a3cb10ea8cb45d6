import { type Kysely, type RawBuilder, sql } from 'kysely';

// Rows made by SQL alone, from their number.

export type Columns = Readonly<Record<string, RawBuilder<unknown>>>;

export const i = sql.ref('i');
export const id = (kind: Kind) =>
  sql`${sql.lit(`0000000${kind}-0000-7000-8000-`)} || substr(cast(1000000000000 + ${i} as text), 2)`;
export const microseconds = sql`substr(cast(1000000 + ${i} as text), 2) || 'Z'`;
export const at = sql`'2026-01-01T00:00:00.' || ${microseconds}`;
export const text = (value: string) => sql`${sql.lit(value)}`;
export const numbered = (prefix: string, number: RawBuilder<unknown> = sql`${i}`) =>
  sql`${sql.lit(prefix)} || cast(${number} as text)`;
export const zero = sql`0`;
export const empty = text('{}');

/** The ids of the `number`th row of each kind. */
export const idOf = (kind: keyof typeof kinds, number: number) =>
  `0000000${kinds[kind]}-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const kinds = {
  ...{ product: 1, policy: 2, license: 3, activation: 4, record: 5, apiKey: 6, tenant: 7, admin: 8, entitlement: 9 },
  ...{ notification: 'a', user: 'b', membership: 'c', invitation: 'd', attempt: 'e', webhook: 'f' },
  ...{ plan: '9', checkout: '8' },
} as const;
export type Kind = (typeof kinds)[keyof typeof kinds];

/** Enough that reading them all is found out, and that half of them are more than a list gathers. */
export const manyRows = 20_000;
/** Enough that no planner reads them all, and that all of them are more than a list gathers. */
export const someRows = 10_000;

/** The rows of one statement: none may take as long as the service lets a statement run. */
const rowsPerStatement = 20_000;

/** Inserts rows numbered from 1, each column by an expression of the number `i`. */
export async function insertMany(db: Kysely<never>, table: string, count: number, columns: Columns): Promise<void> {
  const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
  for (let first = 1; first <= count; first += rowsPerStatement) {
    const last = Math.min(count, first + rowsPerStatement - 1);
    await sql`
      insert into ${sql.table(table)} (${names})
      with recursive numbers(i) as (
        select ${sql.lit(first)} union all select i + 1 from numbers where i < ${sql.lit(last)}
      )
      select ${sql.join(Object.values(columns))} from numbers`.execute(db);
  }
}
