import { type Kysely, sql, type Transaction } from 'kysely';

/** Expired rows of one table. */
export interface ExpiredRows<Tables> {
  readonly table: keyof Tables & string;
  /** The columns of an index that orders the rows, the time first. If not unique, a batch may be larger. */
  readonly order: readonly [time: string, ...rest: string[]];
  /** Rows with a lesser value in the first column of `order` are expired. */
  readonly before: string;
  /** Values that columns must have for a row to be expired. */
  readonly equals?: Readonly<Record<string, string>>;
  /** A column that must be null, or not null, for a row to be expired. */
  readonly isNull?: string;
  readonly isNotNull?: string;
  /** A second column of times that must have a lesser value than `before` as well. */
  readonly alsoBefore?: string;
}

/** Deletes about `limit` rows in the order of the descriptions. Returns how many; fewer than `limit` were the last ones. */
export async function deleteAllExpired<Tables>(
  tx: Transaction<Tables>,
  all: readonly ExpiredRows<Tables>[],
  limit: number,
): Promise<number> {
  let deleted = 0;
  for (const rows of all) {
    if (deleted >= limit) break;
    deleted += await deleteExpired(tx, rows, limit - deleted);
  }
  return deleted;
}

/**
 * Deletes the `limit` oldest expired rows of a table and returns how many were deleted. It finds the first and the last
 * row of the batch and deletes that range: with a list of keys, or without the first row, PostgreSQL may scan the table.
 */
export async function deleteExpired<Tables>(
  tx: Transaction<Tables>,
  rows: ExpiredRows<Tables>,
  limit: number,
): Promise<number> {
  const { order } = rows;
  // The names of the table and its columns are checked where the rows are described; no type of Kysely takes them as values.
  const db = tx as unknown as Kysely<{ rows: Record<string, string> }>;
  const table = rows.table as 'rows';
  const isExpired = sql<boolean>`${sql.join(conditionsOf(rows), sql` and `)}`;
  const columns = sql`${sql.join(order.map((column) => sql.ref(column)))}`;
  const nth = (offset: number) => {
    const query = db.selectFrom(table).select(order).where(isExpired).orderBy(columns);
    return query.offset(offset).limit(1).executeTakeFirst();
  };
  const first = await nth(0);
  if (first === undefined) return 0;
  const last = await nth(limit - 1);
  let deletion = db
    .deleteFrom(table)
    .where(isExpired)
    .where(order[0], '>=', first[order[0]] ?? '');
  if (last !== undefined) {
    const values = sql.join(order.map((column) => last[column]));
    // PostgreSQL estimates a range well only from plain bounds, and might read all of a small table without this one.
    deletion = deletion.where(order[0], '<=', last[order[0]] ?? '').where(sql<boolean>`(${columns}) <= (${values})`);
  }
  return Number((await deletion.executeTakeFirst()).numDeletedRows);
}

function conditionsOf<Tables>({ order, before, equals = {}, isNull, isNotNull, alsoBefore }: ExpiredRows<Tables>) {
  return [
    sql`${sql.ref(order[0])} < ${before}`,
    ...Object.entries(equals).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    ...(isNull === undefined ? [] : [sql`${sql.ref(isNull)} is null`]),
    ...(isNotNull === undefined ? [] : [sql`${sql.ref(isNotNull)} is not null`]),
    ...(alsoBefore === undefined ? [] : [sql`${sql.ref(alsoBefore)} < ${before}`]),
  ];
}
