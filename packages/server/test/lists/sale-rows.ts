import { type Kysely, sql } from 'kysely';
import { at, empty, i, id, idOf, insertMany, kinds, manyRows, numbered, text, zero } from './numbered-rows.ts';

/** The connection whose lists are read, and its comparison. Each has one of a hundred rows. */
export const listedConnection = idOf('product', 1);
export const listedComparison = idOf('policy', 101);

const list = text('[]');
// Were nearly all rows of one connection, PostgreSQL could as well read them from the index on time alone.
const oneOfHundred = (one: string, other: string) =>
  sql`case when ${i} % 100 = 1 then ${text(one)} else ${text(other)} end`;
const connection = oneOfHundred(listedConnection, idOf('product', 2));

/** Inserts connections to shops, with their offers, messages, sales and comparisons. Few have failed or differ. */
export async function fillSales(db: Kysely<never>): Promise<void> {
  await insertMany(db, 'connections', 20, {
    ...{ id: id(kinds.product), provider: text('custom'), name: numbered('Shop '), status: text('active') },
    ...{ compares_itself: zero, created_at: at, updated_at: at },
  });
  await insertMany(db, 'offers', manyRows, {
    ...{ id: id(kinds.policy), connection_id: connection, external_id: numbered('item-'), name: numbered('Item ') },
    ...{ policy_id: text(idOf('policy', 1)), quantity: text('seats'), seats_per_unit: sql`1` },
    ...{ on_refund: text('revoke'), created_at: at, updated_at: at },
  });
  const state = sql`case when ${i} % 1000 < 3 then 'past_due' else 'active' end`;
  await insertMany(db, 'sales', manyRows, {
    ...{ id: id(kinds.license), connection_id: connection, external_id: numbered('sub-'), state_json: empty },
    ...{ kind: text('subscription'), state, shown_state: state, created_at: at, updated_at: at },
    problem: sql`case when ${i} % 1000 < 2 then 'unmapped' when ${i} % 1000 = 2 then 'refused' end`,
  });
  await insertMany(db, 'search_terms', manyRows, {
    ...{ term: numbered('sale:buyer-'), created_at: at, owner_id: id(kinds.license) },
  });
  await insertMany(db, 'sale_messages', manyRows, {
    ...{ id: id(kinds.record), connection_id: connection, external_id: numbered('evt-'), type: text('sale.completed') },
    ...{ received_at: at, sealed_body: text('sealed'), attempts: zero, effects_json: list },
    state: sql`case when ${i} % 1000 < 3 then 'failed' else 'applied' end`,
    sale_id: sql`${text('00000003-0000-7000-8000-')} || substr(cast(1000000000000 + ${i} % 5000 as text), 2)`,
  });
  await insertMany(db, 'comparisons', manyRows, {
    ...{ id: id(kinds.policy), connection_id: connection, state: text('done'), seen: zero, differences: zero },
    ...{ applies_itself: zero, created_at: at, ended_at: at },
  });
  await insertMany(db, 'comparison_differences', manyRows, {
    ...{
      id: id(kinds.record),
      comparison_id: oneOfHundred(listedComparison, idOf('policy', 201)),
      sale_external_id: numbered('sub-'),
    },
    ...{ kind: text('other_terms'), reading_json: empty, summary: text('It differs.'), license_ids_json: list },
    state: sql`case when ${i} % 1000 < 3 then 'open' else 'applied' end`,
    created_at: at,
  });
}
