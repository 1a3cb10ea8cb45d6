import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { insertRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { CouponsTable } from '../../../db/tables/platform/billing.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { enqueueJob } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { callProvider, requirePayments, toAppError } from '../../../payments/call-provider.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { auditsOf, createdFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { isAtProvider, normalizedCode, obstacleOf, presentCoupon, problemsOf, providerCoupon } from './coupon.ts';
import { deleteCoupons, findCoupon } from './queries.ts';
import type { CreateCoupon } from './schemas.ts';

export { deleteCoupons } from './queries.ts';

const auditOf = auditsOf('coupon');

/** Job kind: brings a coupon to the provider, or ends its redemption there. The subject is the coupon's id. */
export const couponSyncKind = 'coupon-sync';

/** The request itself calls the provider. The job does it for a request that died or did not reach the provider. */
const jobDelaySeconds = 60;

const auditedFields = [
  'code',
  'name',
  'percent_off',
  'amount_off',
  'currency',
  'duration',
  'duration_months',
  'expires_at',
  'max_redemptions',
] as const;

/**
 * Creates a coupon here and then at the provider. While the provider is unavailable, the coupon has no `synced_at`, and
 * a job creates it there later. Throws 422, 409 `COUPON.CODE_TAKEN`, 409 `BILLING.NO_PROVIDER`, and 409
 * `BILLING.REFUSED` when the provider refuses the coupon, which is not kept then.
 */
export async function createCoupon(services: Services, actor: Actor, input: CreateCoupon): Promise<CouponsTable> {
  const payments = requirePayments(services);
  const { clock, platform } = services;
  const expires_at = input.expires_at ? toStoredTimestamp(input.expires_at) : null;
  const problems = problemsOf({ ...input, expires_at }, await callProvider(() => payments.now()));
  if (problems.length > 0) throw validationError(...problems);
  const row = await platform
    .transaction(async (tx) => {
      const coupon = newRow({ ...input, expires_at }, clock.now());
      await insertRow(tx, 'coupons', coupon);
      await enqueueSync(tx, coupon.id, coupon.created_at);
      const changes = createdFields(presentCoupon(coupon), auditedFields);
      await recordPlatformAudit(tx, actor, { ...auditOf(coupon.id, 'COUPON.CREATED'), changes, at: coupon.created_at });
      return coupon;
    })
    .catch(explainConflict);
  services.wakeUps.wakeRunner();
  return await syncNew(services, payments, row);
}

function newRow(input: Omit<CreateCoupon, 'expires_at'> & Pick<CouponsTable, 'expires_at'>, at: Timestamp) {
  const { percent_off = null, amount_off = null, currency = null, duration, duration_months = null } = input;
  const code = normalizedCode(input.code);
  return {
    id: newId(),
    code,
    name: input.name ?? code,
    percent_off_basis_points: percent_off === null ? null : Math.round(percent_off * 100),
    amount_off,
    currency,
    duration,
    duration_months,
    expires_at: input.expires_at,
    max_redemptions: input.max_redemptions ?? null,
    redemptions: 0,
    archived_at: null,
    synced_at: null,
    created_at: at,
    updated_at: at,
  } satisfies CouponsTable;
}

/** Creates a new coupon at the provider. Deletes the row of a coupon that the provider refuses. */
async function syncNew(services: Services, payments: PaymentProvider, row: CouponsTable): Promise<CouponsTable> {
  const { clock, logger, platform } = services;
  try {
    return await syncCoupon(services, payments, row);
  } catch (error) {
    if (!(error instanceof PaymentProviderError)) throw error;
    if (error.reason === 'unavailable') {
      logger.warn(
        { err: error, coupon: row.id },
        'the payment provider is unavailable; a job creates the coupon later',
      );
      return row;
    }
    await platform.transaction(async (tx) => {
      await deleteCoupons(tx, [row.id]);
      await recordPlatformAudit(tx, systemActor, { ...auditOf(row.id, 'COUPON.REFUSED'), at: clock.now() });
    });
    throw toAppError(error, ownReason(error) ?? 'The payment provider refused the coupon. Change its fields.');
  }
}

/** Returns what a provider of this service says itself; undefined for a converted error, which is for the operator. */
export function ownReason({ cause, message }: PaymentProviderError): string | undefined {
  return cause === undefined ? message : undefined;
}

/**
 * Brings a coupon to its present state at the provider and reads how often it was redeemed. Idempotent. Returns the new
 * row. Throws `PaymentProviderError`.
 */
async function syncCoupon(
  { clock, platform }: Services,
  payments: PaymentProvider,
  row: CouponsTable,
): Promise<CouponsTable> {
  let redemptions = row.synced_at === null ? undefined : await payments.countRedemptions(row.code);
  if (redemptions === undefined) {
    await payments.createCoupon(providerCoupon(row));
    redemptions = await payments.countRedemptions(row.code);
  }
  if (!isAtProvider(row) && row.archived_at !== null) await payments.deactivateCoupon(row.code);
  const changes = { redemptions: redemptions ?? row.redemptions, synced_at: clock.now() };
  await platform.transaction((tx) => updateRows(tx, 'coupons', row.id, changes));
  return { ...row, ...changes };
}

/** Returns a coupon by its code, in upper or lower case; undefined for an unknown code. */
export function findCouponByCode(platform: PlatformDb, code: string): Promise<CouponsTable | undefined> {
  return findCoupon(platform, { code: normalizedCode(code) });
}

/**
 * Returns a coupon, with its redemptions as the provider counts them; while the provider is unavailable, as they were
 * read last. Throws 404 `RESOURCE.NOT_FOUND`.
 */
export async function readCoupon(services: Services, id: string): Promise<CouponsTable> {
  const { logger, payments, platform } = services;
  const row = orThrow(await findCoupon(platform, { id }), couponNotFound);
  if (payments === null) return row;
  try {
    return await syncCoupon(services, payments, row);
  } catch (error) {
    if (!(error instanceof PaymentProviderError)) throw error;
    logger.warn({ err: error, coupon: id }, 'the payment provider did not return the coupon; its figures are older');
    return row;
  }
}

/**
 * Archives a coupon: it can no longer be redeemed, and discounts that exist stay. Idempotent. Throws 404
 * `RESOURCE.NOT_FOUND`, and 503 while the provider is unavailable; a job then ends the redemption there later.
 */
export async function archiveCoupon(services: Services, actor: Actor, id: string): Promise<void> {
  const { clock, payments, platform } = services;
  const row = await platform.transaction(async (tx) => {
    const before = orThrow(await lockRow(tx, 'coupons', id), couponNotFound);
    if (before.archived_at !== null) return before;
    const at = clock.now();
    const archived = { archived_at: at, updated_at: at };
    await updateRows(tx, 'coupons', id, archived);
    await enqueueSync(tx, id, at);
    const changes = [{ field: 'archived', old: false, new: true }];
    await recordPlatformAudit(tx, actor, { ...auditOf(id, 'COUPON.ARCHIVED'), changes, at });
    return { ...before, ...archived };
  });
  services.wakeUps.wakeRunner();
  if (payments === null || isAtProvider(row)) return;
  await callProvider(() => syncCoupon(services, payments, row));
}

/**
 * Sends a coupon to the provider if its request failed. Returns the time to run again, or null when the provider has
 * the present state.
 */
export async function completeCoupon(services: Services, id: string): Promise<Timestamp | null> {
  const { clock, payments, platform } = services;
  const row = await findCoupon(platform, { id });
  if (row === undefined || payments === null || isAtProvider(row)) return null;
  try {
    await syncCoupon(services, payments, row);
    return null;
  } catch (error) {
    if (!(error instanceof PaymentProviderError) || error.reason !== 'unavailable') throw error;
    return addSeconds(clock.now(), jobDelaySeconds);
  }
}

/**
 * Returns the coupon with a code, which the provider has, for a subscription that is to redeem it. Throws 422 for an
 * unknown code, and 409 `COUPON.NOT_REDEEMABLE` for one that is archived, expired, used up or of another currency.
 */
export async function requireRedeemable(
  services: Services,
  payments: PaymentProvider,
  wanted: { readonly code: string; readonly currency: string },
): Promise<CouponsTable> {
  const known = await findCouponByCode(services.platform, wanted.code);
  if (known === undefined) throw validationError({ field: 'coupon', message: 'Enter the code of an existing coupon.' });
  const coupon = await callProvider(() => syncCoupon(services, payments, known));
  const obstacle = obstacleOf(coupon, wanted.currency, await callProvider(() => payments.now()));
  if (obstacle !== undefined) throw new AppError('COUPON.NOT_REDEEMABLE', obstacle);
  return coupon;
}

async function enqueueSync(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  await enqueueJob(tx, { subjectId: id, kind: couponSyncKind, dueAt: addSeconds(at, jobDelaySeconds) }, at);
}

function couponNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'No coupon has this id. List the coupons to find the id.');
}

function explainConflict(cause: unknown): never {
  if (!isUniqueViolation(cause)) throw cause;
  const details = [{ field: 'code', message: 'Another coupon has this code. Choose another one.' }];
  const message = 'Another coupon, which may be archived, has this code. Choose another code.';
  throw new AppError('COUPON.CODE_TAKEN', message, { details, cause });
}
