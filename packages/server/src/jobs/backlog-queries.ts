import { sql } from 'kysely';
import type { PlatformDb } from '../db/database.ts';
import type { Timestamp } from '../lib/clock.ts';

/** The due time of the row that is due first, and the number of dead rows. */
export interface Backlog {
  readonly oldestDueAt: Timestamp | null;
  readonly deadCount: number;
}

/** Reads the backlog. Each of the two queries reads only the start of an index. */
export async function readBacklog(platform: PlatformDb): Promise<Backlog> {
  const [oldest, dead] = await Promise.all([
    platform.query
      .selectFrom('jobs')
      .select('due_at')
      .where('due_at', 'is not', null)
      .orderBy('due_at')
      .limit(1)
      .executeTakeFirst(),
    platform.query
      .selectFrom('jobs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('status', '=', sql.lit('dead' as const))
      .executeTakeFirstOrThrow(),
  ]);
  return { oldestDueAt: oldest?.due_at ?? null, deadCount: dead.count };
}

/** Due rows of one kind that no process has claimed: their number, and the earliest due time. */
export interface DueWork {
  readonly kind: string;
  readonly count: number;
  readonly oldestDueAt: Timestamp;
}

/** Maximum due rows that one count reads from the index. */
const countedDueMax = 10_000;

/** Counts the unclaimed rows that are due at `now`, by kind; at most the first 10,000 due rows count. */
export async function countDue(platform: PlatformDb, now: Timestamp): Promise<DueWork[]> {
  const due = platform.query
    .selectFrom('jobs')
    .select(['kind', 'due_at', 'status'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(countedDueMax);
  const rows = await platform.query
    .selectFrom(due.as('due'))
    .select(({ fn }) => ['kind', fn.countAll<number>().as('count'), fn.min<Timestamp>('due_at').as('oldest')])
    .where('status', '=', 'waiting')
    .groupBy('kind')
    .execute();
  return rows.map(({ kind, count, oldest }) => ({ kind, count: Number(count), oldestDueAt: oldest }));
}
