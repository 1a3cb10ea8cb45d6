import { sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';

/** Responses that are searched at once. */
const responsesPerPage = 500;

/**
 * Deletes the responses kept for repeated requests that contain this text, without case. It reads all responses of a day, in
 * pages. A repetition of such a request acts again. Safe to repeat.
 */
export async function eraseAnswersWith({ query }: TenantDb, text: string): Promise<void> {
  // As the text appears inside a JSON string; `%`, `_` and `\` mean themselves.
  const pattern = `%${JSON.stringify(text.toLowerCase())
    .slice(1, -1)
    .replace(/[\\%_]/g, '\\$&')}%`;
  const mentions = sql<0 | 1>`case when lower(response_data_json) like ${pattern} escape '\\' then 1 else 0 end`;
  for (let after = ''; ; ) {
    const page = await query
      .selectFrom('idempotency_keys')
      .select(['attempt_id', mentions.as('mentions')])
      .where('attempt_id', '>', after)
      .orderBy('attempt_id')
      .limit(responsesPerPage)
      .execute();
    const ids = page.filter((row) => row.mentions === 1).map((row) => row.attempt_id);
    if (ids.length > 0) await query.deleteFrom('idempotency_keys').where('attempt_id', 'in', ids).execute();
    const last = page.at(-1);
    if (last === undefined || page.length < responsesPerPage) return;
    after = last.attempt_id;
  }
}
