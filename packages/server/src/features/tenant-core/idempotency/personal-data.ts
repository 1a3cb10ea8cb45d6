import { allPersonalRows, type TenantPersonalData } from '../personal-data/personal-data.ts';

/** The only creation whose stored response contains personal data of a user: adding a member. It is kept for a day. */
const route = 'POST /api/v1/tenant/members';

/** Responses stored for replays. The export omits them, because it contains the same data in other sections. */
export const idempotencyPersonalData: TenantPersonalData = {
  record: 'kept_answer',
  read: () => Promise.resolve(allPersonalRows([])),
  async erase(db, { email }) {
    const rows = await db.query
      .selectFrom('idempotency_keys')
      .select(['attempt_id', 'response_data_json'])
      .where('route', '=', route)
      .execute();
    const ids = rows.filter((row) => row.response_data_json?.includes(email)).map((row) => row.attempt_id);
    for (const id of ids) {
      await db.query.deleteFrom('idempotency_keys').where('route', '=', route).where('attempt_id', '=', id).execute();
    }
    return ids.length > 0;
  },
};
