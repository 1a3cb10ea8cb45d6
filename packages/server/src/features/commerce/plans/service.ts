import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import { insertRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { BillingInterval, PlanPricesTable } from '../../../db/tables/platform/billing.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { PlanPrice } from '../../../payments/provider.ts';
import type { PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { freePlanCode } from '../../accounts/tenants/tenant.ts';
import { auditsOf, changedFields, createdFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { applyPlanInput, fullLimits, presentPlan } from './plan.ts';
import {
  deletePlanRow,
  findPlanRow,
  hasPendingChanges,
  listPricesOf,
  type PricedPlan,
  replacePrices,
  withPrices,
} from './queries.ts';
import type { CreatePlan, UpdatePlan } from './schemas.ts';

const auditOf = auditsOf('plan');

const auditedFields = ['code', 'name', 'catalog_product_id', 'prices', 'limits', 'features', 'archived'] as const;

/** Creates a plan. Throws 409 `PLAN.CODE_TAKEN`, and 422 for an unknown catalog product. */
export async function createPlan(
  { clock, platform }: PlatformServices,
  actor: Actor,
  input: CreatePlan,
): Promise<PricedPlan> {
  return await platform
    .transaction(async (tx) => {
      const at = clock.now();
      const stamps = { archived_at: null, created_at: at, updated_at: at };
      const { code, name, prices = [], limits = {}, features = [], catalog_product_id = null } = input;
      const plan = {
        id: newId(),
        code,
        name,
        catalog_product_id,
        ...stamps,
        limits_json: JSON.stringify(fullLimits(limits)),
        features_json: JSON.stringify(features),
      };
      await insertRow(tx, 'plans', plan);
      const created = { plan, prices: await writePrices(tx, plan.id, prices, at) };
      const changes = createdFields(presentPlan(created), auditedFields);
      await recordPlatformAudit(tx, actor, { ...auditOf(plan.id, 'PLAN.CREATED'), changes, at });
      return created;
    })
    .catch(explainConflict);
}

/**
 * Changes the given fields of a plan. New prices apply to new purchases: a subscription keeps its amount. Throws 404
 * `RESOURCE.NOT_FOUND`, and 409 `PLAN.FREE_FIXED` for a price or the archiving of the plan `free`.
 */
export async function updatePlan(
  { clock, platform }: PlatformServices,
  actor: Actor,
  id: string,
  input: UpdatePlan,
): Promise<PricedPlan> {
  return await platform
    .transaction(async (tx) => {
      const plan = orThrow(await lockRow(tx, 'plans', id), planNotFound);
      const [before = { plan, prices: [] }] = await withPrices(tx, [plan]);
      if (plan.code === freePlanCode) assertStaysFree(input);
      const at = clock.now();
      const changed = { plan: { ...applyPlanInput(plan, input, at), updated_at: at }, prices: before.prices };
      const priced = input.prices === undefined ? changed : withNewPrices(changed, input.prices ?? [], at);
      const changes = changedFields(presentPlan(before), presentPlan(priced), auditedFields);
      if (changes.length === 0) return before;
      await updateRows(tx, 'plans', priced.plan.id, priced.plan);
      if (changes.some(({ field }) => field === 'prices')) await replacePrices(tx, id, priced.prices);
      const isArchived = changes.some(({ field, new: value }) => field === 'archived' && value === true);
      const event = isArchived ? 'PLAN.ARCHIVED' : 'PLAN.UPDATED';
      await recordPlatformAudit(tx, actor, { ...auditOf(id, event), changes, at });
      return priced;
    })
    .catch(explainConflict);
}

/**
 * Deletes a plan that no tenant has or has had. Throws 404 `RESOURCE.NOT_FOUND`, 409 `PLAN.FREE_FIXED` and 409
 * `PLAN.IN_USE`.
 */
export async function deletePlan({ clock, platform }: PlatformServices, actor: Actor, id: string): Promise<void> {
  await platform
    .transaction(async (tx) => {
      const plan = orThrow(await lockRow(tx, 'plans', id), planNotFound);
      if (plan.code === freePlanCode) throw freeIsFixed();
      if (await hasPendingChanges(tx, plan.code)) throw planInUse();
      await deletePlanRow(tx, id);
      await recordPlatformAudit(tx, actor, { ...auditOf(id, 'PLAN.DELETED'), at: clock.now() });
    })
    .catch((cause: unknown) => {
      throw isForeignKeyViolation(cause) ? planInUse(cause) : cause;
    });
}

type NewPrice = NonNullable<CreatePlan['prices']>[number];

function withNewPrices(priced: PricedPlan, prices: readonly NewPrice[], at: string): PricedPlan {
  return { ...priced, prices: priceRows(priced.plan.id, prices, at) };
}

function priceRows(planId: string, prices: readonly NewPrice[], at: string): PlanPricesTable[] {
  return prices.map(({ interval, currency, amount, trial_days = 0 }) => {
    return { id: newId(), plan_id: planId, interval, currency, amount, trial_days, created_at: at };
  });
}

async function writePrices(
  tx: PlatformTransaction,
  planId: string,
  prices: readonly NewPrice[],
  at: string,
): Promise<PlanPricesTable[]> {
  const rows = priceRows(planId, prices, at);
  if (rows.length > 0) await replacePrices(tx, planId, rows);
  return rows;
}

/** Returns a plan with its prices by its code; undefined for an unknown code. */
export async function findPlanByCode(platform: PlatformDb, code: string): Promise<PricedPlan | undefined> {
  const plan = await findPlanRow(platform.query, { code });
  if (plan === undefined) return undefined;
  return (await withPrices(platform.query, [plan]))[0];
}

/** The price of a plan for a new purchase. */
export interface Offer {
  readonly price: PlanPrice;
  /** The days of the free trial of a first subscription; 0 without a trial. */
  readonly trialDays: number;
}

/**
 * Returns the price of a plan for a new purchase. Without a currency that is the price in US dollars, else in the first
 * currency by code. Throws 422 for a plan that does not exist, is archived, or is not sold in this interval and
 * currency.
 */
export async function findOffer(
  platform: PlatformDb,
  wanted: { readonly planCode: string; readonly interval: BillingInterval; readonly currency?: string },
): Promise<Offer> {
  const plan = await findPlanRow(platform.query, { code: wanted.planCode });
  if (plan === undefined || plan.archived_at !== null) {
    throw validationError({ field: 'plan_code', message: 'Choose a plan that is offered.' });
  }
  const prices = await listPricesOf(platform, plan.id, wanted.interval);
  const price = prices.find(({ currency }) => wanted.currency === undefined || currency === wanted.currency);
  if (price === undefined) {
    const where = wanted.currency === undefined ? '' : ` in ${wanted.currency}`;
    throw validationError({ field: 'interval', message: `Choose an interval in which the plan is sold${where}.` });
  }
  const { interval, currency, amount, trial_days: trialDays } = price;
  return { price: { planCode: plan.code, planName: plan.name, interval, currency, amount }, trialDays };
}

/** Returns the 404 for an unknown plan. */
export function planNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'No plan has this id. List the plans to find the id.');
}

function planInUse(cause?: unknown): AppError {
  return new AppError(
    'PLAN.IN_USE',
    'Tenants have or have had this plan, so it cannot be deleted. Archive it instead, so that it is no longer offered.',
    {
      cause,
    },
  );
}

function assertStaysFree({ archived, prices }: UpdatePlan): void {
  if (archived || (prices ?? []).length > 0) throw freeIsFixed();
}

function freeIsFixed(): AppError {
  return new AppError(
    'PLAN.FREE_FIXED',
    'The plan free cannot have a price, be archived or be deleted: tenants without a subscription have it. Create ' +
      'another plan.',
  );
}

function explainConflict(cause: unknown): never {
  if (isUniqueViolation(cause, 'plans_code_unique')) {
    const details = [{ field: 'code', message: 'Another plan has this code. Choose another one.' }];
    throw new AppError('PLAN.CODE_TAKEN', 'Another plan has this code. Choose another code.', { details, cause });
  }
  // The catalog product is the only other row that these writes refer to.
  if (isForeignKeyViolation(cause)) throw unknownProduct();
  throw cause;
}

function unknownProduct(): AppError {
  return validationError({ field: 'catalog_product_id', message: 'Choose an existing product of the catalog.' });
}
