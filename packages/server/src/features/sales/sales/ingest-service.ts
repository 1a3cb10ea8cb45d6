import { findRow } from '../../../db/rows.ts';
import type { SalesTable } from '../../../db/tables/tenant/sales.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { MessageUnreadableError, type Reading } from '../shops/shop.ts';
import { stateOf } from './apply-sale-service.ts';
import type { SaleContext } from './context.ts';
import { deleteSaleRow, findAlias, insertAlias, lockOrInsert, moveLicenses } from './queries.ts';
import { addFact, mergeStates } from './sale.ts';

/** What a message says about sales. */
export type Said = Pick<Reading, 'facts' | 'aliases'>;

/** Longer than any id of a shop. Indexes contain these ids. */
const idMax = 200;
const idForm = /^[^\p{Cc}]+$/u;

/** An alias may name the alias of a sale: a payment, its invoice, its subscription. */
const aliasStepsMax = 5;

/**
 * Adds what a shop says to what is known, in the transaction that then applies the sales. Returns the sales that it is
 * about, locked, whose rows contain what is known now; the caller must store them. A report about an alias that is not
 * known yet becomes a sale of its own, which lists omit and which is joined when the alias is reported. Throws
 * `MessageUnreadableError` for an id that no shop has.
 */
export async function ingest(context: SaleContext, connectionId: string, said: Said): Promise<SalesTable[]> {
  const { tx, at } = context;
  const ids = [...said.facts.map(({ saleId }) => saleId), ...said.aliases.flatMap((one) => [one.alias, one.saleId])];
  if (ids.some((id) => id.length > idMax || !idForm.test(id))) {
    throw new MessageUnreadableError('An id in the message is too long or contains control characters.');
  }
  const aliases = said.aliases.filter(({ alias, saleId }) => alias !== saleId);
  for (const { alias, saleId } of aliases) {
    await insertAlias(tx, { connection_id: connectionId, alias, sale_external_id: saleId });
  }
  const names = new Map<string, string>();
  for (const id of new Set(ids)) names.set(id, await resolve(context, connectionId, id));
  const nameOf = (id: string) => names.get(id) ?? id;
  const joined = await earlierReports(
    context,
    connectionId,
    aliases.map(({ alias }) => alias).filter(isRenamed(names)),
  );
  const wanted = new Set([
    ...said.facts.map(({ saleId }) => nameOf(saleId)),
    ...joined.map((id) => nameOf(id)),
    ...joined,
  ]);
  const rows = new Map<string, SalesTable>();
  // In the order of their ids, so that two transactions cannot wait for each other.
  for (const id of [...wanted].sort()) rows.set(id, await lockOrInsert(tx, newSale(connectionId, id, at)));
  const rowOf = (id: string) => {
    const row = rows.get(nameOf(id));
    if (row === undefined) throw new Error(`The sale ${id} was not locked.`);
    return row;
  };
  for (const alias of joined) {
    const [earlier, row] = [rows.get(alias), rowOf(alias)];
    if (earlier !== undefined) await join(context, earlier, row);
    rows.delete(alias);
  }
  for (const fact of said.facts) setState(rowOf(fact.saleId), addFact(stateOf(rowOf(fact.saleId)), fact));
  return [...rows.values()];
}

function isRenamed(names: ReadonlyMap<string, string>) {
  return (alias: string) => names.get(alias) !== alias;
}

function setState(row: SalesTable, state: ReturnType<typeof stateOf>): void {
  row.state_json = JSON.stringify(state);
}

async function resolve({ tx }: SaleContext, connectionId: string, id: string): Promise<string> {
  let name = id;
  for (let step = 0; step < aliasStepsMax; step += 1) {
    const next = await findAlias(tx, connectionId, name);
    if (next === undefined) return name;
    name = next;
  }
  return name;
}

/** Returns the aliases under which something was reported before. */
async function earlierReports(
  { tx }: SaleContext,
  connectionId: string,
  aliases: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const alias of new Set(aliases)) {
    if ((await findRow(tx, 'sales', { connection_id: connectionId, external_id: alias })) !== undefined)
      found.push(alias);
  }
  return found;
}

async function join({ tx }: SaleContext, earlier: SalesTable, row: SalesTable): Promise<void> {
  setState(row, mergeStates(stateOf(row), stateOf(earlier)));
  await moveLicenses(tx, earlier.id, row.id);
  await deleteSaleRow(tx, earlier);
}

function newSale(connectionId: string, externalId: string, at: Timestamp): SalesTable {
  return {
    id: newId(),
    connection_id: connectionId,
    external_id: externalId,
    state_json: '{}',
    kind: null,
    state: null,
    shown_state: null,
    buyer_email_key: null,
    checkout_id: null,
    problem: null,
    problem_message: null,
    next_change_at: null,
    created_at: at,
    updated_at: at,
  };
}
