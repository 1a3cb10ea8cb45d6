import {
  addressesOf,
  allPersonalRows,
  type PersonalData,
  type TenantPersonalData,
} from '../personal-data/personal-data.ts';

/** The only creation whose stored response contains personal data of a user: adding a member. It is kept for a day. */
const route = 'POST /api/v1/tenant/members';

/** Responses stored for replays. The export omits them, because it contains the same data in other sections. */
export const idempotencyPersonalData: TenantPersonalData = {
  record: 'kept_answer',
  read: () => Promise.resolve(allPersonalRows([])),
  async erase(db, person) {
    const addresses = addressesOf(person);
    const rows = await db.query
      .selectFrom('idempotency_keys')
      .select(['attempt_id', 'response_data_json'])
      .where('route', '=', route)
      .execute();
    const ids = rows
      .filter((row) => addresses.some((address) => row.response_data_json?.includes(address)))
      .map((row) => row.attempt_id);
    for (const id of ids) {
      await db.query.deleteFrom('idempotency_keys').where('route', '=', route).where('attempt_id', '=', id).execute();
    }
    return ids.length > 0;
  },
};

/** The user's own creations of the last day. The export omits their responses, for the same reason. */
export const userKeysPersonalData: PersonalData = {
  section: 'recent_requests',
  tables: ['user_idempotency_keys'],
  async read({ platform }, { id }) {
    const requests = platform.query
      .selectFrom('user_idempotency_keys')
      .select(['route', 'idempotency_key', 'created_at', 'expires_at'])
      .where('user_id', '=', id)
      .orderBy('created_at');
    return allPersonalRows(await requests.execute());
  },
  async erase(tx, { id }) {
    await tx.deleteFrom('user_idempotency_keys').where('user_id', '=', id).execute();
  },
};
