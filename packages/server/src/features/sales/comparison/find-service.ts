import type { TenantDb } from '../../../db/database.ts';
import type {
  ComparisonDifferencesTable,
  ComparisonsTable,
  SaleLicensesTable,
  SalesTable,
} from '../../../db/tables/tenant/sales.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { readApplied, soldOffers, stateOf } from '../sales/apply-sale-service.ts';
import type { Said } from '../sales/ingest-service.ts';
import { addFact, type SaleState } from '../sales/sale.ts';
import { findOffers, listLicensesOf, listSalesByExternalIds, namesOf } from '../sales/service.ts';
import type { Reading } from '../shops/shop.ts';
import { differenceOf } from './difference.ts';
import { findDifferencesOf } from './queries.ts';

/** What a page of a shop says of one sale. */
interface SaidOfSale {
  facts: Said['facts'];
  aliases: Said['aliases'];
}

/** Groups what a page says by the sale that it is about, under the id by which the sale is known here. */
async function groupBySale(
  db: TenantDb,
  connectionId: string,
  sales: readonly Reading[],
): Promise<Map<string, SaidOfSale>> {
  const own = new Map(sales.flatMap(({ aliases }) => aliases).map(({ alias, saleId }) => [alias, saleId]));
  const ids = [...new Set(sales.flatMap(({ facts }) => facts.map(({ saleId }) => own.get(saleId) ?? saleId)))];
  const names = await namesOf(db.query, connectionId, ids);
  const groups = new Map<string, SaidOfSale>();
  for (const { facts, aliases } of sales) {
    for (const fact of facts) {
      const id = own.get(fact.saleId) ?? fact.saleId;
      const name = names.get(id) ?? id;
      const group = groups.get(name) ?? { facts: [], aliases: [] };
      group.facts = [...group.facts, fact];
      group.aliases = aliases.length === 0 ? group.aliases : [...group.aliases, ...aliases];
      groups.set(name, group);
    }
  }
  return groups;
}

function addAll(state: SaleState, { facts }: Pick<Said, 'facts'>): SaleState {
  return facts.reduce(addFact, state);
}

interface Known {
  readonly rows: ReadonlyMap<string, SalesTable>;
  readonly licenses: readonly SaleLicensesTable[];
  /** What earlier pages of the comparison said of the same sales. */
  readonly earlier: ReadonlyMap<string, ComparisonDifferencesTable>;
}

async function readKnown(
  db: TenantDb,
  { id, connection_id }: ComparisonsTable,
  names: readonly string[],
): Promise<Known> {
  const rows = await listSalesByExternalIds(db.query, connection_id, names);
  const saleIds = rows.map((row) => row.id);
  const earlier = await findDifferencesOf(db.query, id, names);
  return {
    rows: new Map(rows.map((row) => [row.external_id, row])),
    licenses: await listLicensesOf(db.query, saleIds),
    earlier: new Map(earlier.map((row) => [row.sale_external_id, row])),
  };
}

/**
 * Finds the sales of a page whose licenses here do not match what the shop says. A fixed number of reads for the whole
 * page, and nothing is written. Returns rows that are not stored yet; `state` is `open`.
 */
export async function findDifferences(
  db: TenantDb,
  comparison: ComparisonsTable,
  sales: readonly Reading[],
  at: Timestamp,
): Promise<ComparisonDifferencesTable[]> {
  const groups = await groupBySale(db, comparison.connection_id, sales);
  const known = await readKnown(db, comparison, [...groups.keys()]);
  const states = [...groups].map(([name, said]) => {
    const before = known.earlier.get(name);
    const together: Said = before === undefined ? said : joined(JSON.parse(before.reading_json), said);
    const row = known.rows.get(name);
    return { name, row, said: together, state: addAll(row === undefined ? {} : stateOf(row), together) };
  });
  const items = new Set(states.flatMap(({ state }) => (state.items?.value ?? []).map(({ externalId }) => externalId)));
  const offers = await findOffers(db.query, comparison.connection_id, [...items]);
  const offerOf = soldOffers(offers);
  const found: ComparisonDifferencesTable[] = [];
  for (const { name, row, said, state } of states) {
    await yieldToEventLoop();
    const ofSale = known.licenses.filter(({ sale_id }) => sale_id === row?.id);
    const present = ofSale.map(({ license_id, applied_json }) => ({
      licenseId: license_id,
      applied: readApplied(applied_json).terms,
    }));
    const difference = differenceOf(state, offerOf, present, at);
    if (difference === undefined) continue;
    found.push({
      id: newId(),
      comparison_id: comparison.id,
      sale_external_id: name,
      ...difference,
      reading_json: JSON.stringify(said),
      buyer_json: state.buyer === undefined ? null : JSON.stringify(state.buyer.value),
      license_ids_json: JSON.stringify(ofSale.map(({ license_id }) => license_id)),
      state: 'open',
      created_at: at,
    });
  }
  return found;
}

/** Returns what two pages say of a sale. */
function joined(one: Said, other: Said): Said {
  return { facts: [...one.facts, ...other.facts], aliases: [...one.aliases, ...other.aliases] };
}
