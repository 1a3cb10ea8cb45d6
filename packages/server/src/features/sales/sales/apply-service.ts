import type { SalesTable } from '../../../db/tables/tenant/sales.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import type { Effect, SaleContext } from './context.ts';
import { buyerKey, holderOf } from './holder.ts';
import { type AppliedTerms, changeSold, issueSold, type SharedFacts } from './license-effects.ts';
import { findOffers, listLicensesOf, type OfferOfSale, updateSaleRow, writeSaleLicense } from './queries.ts';
import { type Entitled, entitledBy, planLicenses, type SoldOffer } from './rule.ts';
import type { SaleState } from './sale.ts';

/** Why the licenses of a sale do not match it. */
export type SaleProblem = 'unmapped' | 'too_many' | 'limit_reached' | 'refused';

/** What came of applying a sale. */
export interface AppliedSale {
  readonly row: SalesTable;
  readonly effects: readonly Effect[];
  /** In words for the vendor; null if the licenses match the sale now. */
  readonly problem: string | null;
}

/**
 * Changes the licenses of a sale to what it entitles its buyer to, and stores the sale. The caller must have locked the
 * sale. Repeating it changes nothing. Throws what the licensing services throw, for example 403 `PLAN.LIMIT_REACHED`: the
 * transaction must then be rolled back.
 */
export async function applySale(context: SaleContext, row: SalesTable): Promise<AppliedSale> {
  const { tx, at } = context;
  const state = stateOf(row);
  const items = state.items?.value ?? [];
  const offers = await findOffers(
    tx,
    row.connection_id,
    items.map(({ externalId }) => externalId),
  );
  const entitled = entitledBy(state, soldOffers(offers), at);
  const licenses = await listLicensesOf(tx, [row.id]);
  const isOver = licenses.length === 0 && state.state?.value === 'ended';
  const problem = isOver ? null : problemOf(entitled);
  if (problem !== null) {
    await storeSale(context, row, state, { ...problem, nextChangeAt: null });
    return { row, effects: [], problem: problem.message };
  }
  const effects = await changeLicenses(context, row, { state, entitled, licenses });
  await storeSale(context, row, state, { code: null, message: null, nextChangeAt: entitled.nextChangeAt });
  return { row, effects, problem: null };
}

/** Returns what is known of a sale. */
export function stateOf({ state_json }: Pick<SalesTable, 'state_json'>): SaleState {
  return JSON.parse(state_json);
}

/**
 * Returns offers by the shop's id of the item. A policy that was deleted has no product: the licenses of the offer are then
 * left alone until the issue fails.
 */
export function soldOffers(offers: readonly OfferOfSale[]): ReadonlyMap<string, SoldOffer> {
  return new Map(offers.map((offer) => [offer.external_id, { ...offer, product_id: offer.product_id ?? '' }]));
}

interface Problem {
  readonly code: SaleProblem;
  readonly message: string;
}

/** Returns why the offers do not fit a sale; null if they do. */
export function problemOf({ unmapped, excessive }: Entitled): Problem | null {
  const [missing, tooMany] = [unmapped.join(', '), excessive.join(', ')];
  if (missing !== '') {
    return {
      code: 'unmapped',
      message: `No offer says what this item of the shop becomes: ${missing}. Add an offer for it.`,
    };
  }
  if (tooMany === '') return null;
  const message = `More than 1,000 licenses were sold at once of this item: ${tooMany}. Sell seats in its offer instead.`;
  return { code: 'too_many', message };
}

interface Changes {
  readonly state: SaleState;
  readonly entitled: Entitled;
  readonly licenses: Awaited<ReturnType<typeof listLicensesOf>>;
}

async function changeLicenses(
  context: SaleContext,
  row: SalesTable,
  { state, entitled, licenses }: Changes,
): Promise<Effect[]> {
  const { tx, at } = context;
  const holder = holderOf(state.buyer?.value);
  const applied = new Map(licenses.map(({ license_id, applied_json }) => [license_id, readApplied(applied_json)]));
  const present = [...applied].map(([licenseId, { terms }]) => ({ licenseId, applied: terms }));
  const plan = planLicenses(entitled.licenses, present, { now: at, leftOverEnd: at });
  const targets = new Map(plan.change.map(({ license, to }) => [license.licenseId, to]));
  const facts: SharedFacts = {
    holder,
    startedAt: state.startedAt?.value ?? null,
    isPastDue: state.state?.value === 'past_due',
    keyPrefix: context.keyPrefix,
  };
  const effects: Effect[] = [];
  for (const [licenseId, from] of applied) {
    const to = targets.get(licenseId) ?? from.terms;
    const isSame = to === from.terms && JSON.stringify(from.holder) === JSON.stringify(holder);
    if (isSame) continue;
    effects.push(...(await changeSold(context, licenseId, { from, to, facts })));
    await writeApplied(context, row, licenseId, { terms: to, holder });
  }
  for (const terms of plan.issue) {
    const licenseId = await issueSold(context, terms, facts);
    await writeApplied(context, row, licenseId, { terms, holder });
    effects.push({ effect: 'issued', license_id: licenseId });
  }
  const count = plan.issue.length;
  // At the end of the transaction: no transaction waits for another lock while it holds a counter.
  if (count > 0) {
    const { requestId } = context.actor;
    await reserveQuota(tx, context.outbox, context.tenant, { resource: 'licenses', count, at, requestId });
  }
  return effects;
}

/** Returns what a sale applied to a license last, from its column. */
export function readApplied(json: string): AppliedTerms {
  return JSON.parse(json);
}

async function writeApplied(context: SaleContext, row: SalesTable, licenseId: string, applied: AppliedTerms) {
  const written = { license_id: licenseId, sale_id: row.id, applied_json: JSON.stringify(applied) };
  await writeSaleLicense(context.tx, { ...written, created_at: context.at });
}

interface Outcome {
  readonly code: SaleProblem | null;
  readonly message: string | null;
  readonly nextChangeAt: SalesTable['next_change_at'];
}

/** Stores a sale with its state, its problem, and the columns of lists. The caller must have locked it. */
export async function storeSale(
  { tx, at }: SaleContext,
  row: SalesTable,
  state: SaleState,
  { code, message, nextChangeAt }: Outcome,
): Promise<void> {
  const buyer = state.buyer?.value;
  Object.assign(row, {
    state_json: JSON.stringify(state),
    kind: state.kind?.value ?? null,
    state: state.state?.value ?? null,
    buyer_email_key: buyerKey(buyer),
    checkout_id: state.checkoutId?.value ?? null,
    problem: code,
    problem_message: message,
    next_change_at: nextChangeAt,
    updated_at: at,
  } satisfies Partial<SalesTable>);
  const { name, email, reference } = holderOf(buyer);
  await updateSaleRow(tx, row, [name, email, reference]);
}
