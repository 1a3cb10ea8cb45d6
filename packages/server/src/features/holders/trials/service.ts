import type { TenantDb } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable, ProductsTable } from '../../../db/tables/tenant/policies.ts';
import type { TrialsTable } from '../../../db/tables/tenant/trials.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { presentActivation } from '../../licensing/activations/activation.ts';
import { named } from '../../licensing/activations/components.ts';
import { activateLocked, findActive } from '../../licensing/activations/service.ts';
import { readKeptLicense } from '../../licensing/licenses/kept-service.ts';
import { generateLicenseKey } from '../../licensing/licenses/license-key.ts';
import { deriveStatus } from '../../licensing/licenses/license-status.ts';
import { issueLicenses, lockLicenseRow, newLicense } from '../../licensing/licenses/service.ts';
import { findPolicy } from '../../licensing/policies/service.ts';
import { findProductByName, holdProduct } from '../../licensing/products/service.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { confirmAddress, noteUnconfirmed } from '../../tenant-core/holder-mail-queue/address-service.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { rememberLanguage } from '../../tenant-core/holder-mail-queue/service.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import type { StoredSettings } from '../../tenant-core/settings/settings.ts';
import { findPortalUrl } from '../portal/settings-service.ts';
import type { Asked, TrialContext } from './context.ts';
import { assertDayHasTrials, countHit, noteRefusedAddress, takeBackHit } from './limits.ts';
import { noticeTrial } from './notice-service.ts';
import { findByDevice, findByEmail, findRequestByCode } from './queries.ts';
import { askForConfirmation, mayMail } from './request-service.ts';
import type { PendingTrial, StartTrial, Trial } from './schemas.ts';
import { typedTrialCode } from './trial-code.ts';

/** A trial with its license and, if the device has one, its seat. */
export interface StartedTrial {
  readonly license: LicensesTable;
  readonly activation: ActivationsTable | null;
  /** True if the license was created now. */
  readonly isNew: boolean;
}

/** What a request for a trial led to. */
export type TrialOutcome = StartedTrial | { readonly pending: PendingTrial };

/** Returns the API representation of a trial. A license that the vendor deleted works no more than a revoked one. */
export function presentTrial({ license, activation }: StartedTrial, now: Timestamp): Trial {
  return {
    status: 'started',
    license_key: license.key,
    license_status: license.deleted_at === null ? deriveStatus(license, now) : 'revoked',
    expires_at: license.expires_at,
    activation: activation === null ? null : presentActivation(activation, now),
  };
}

/**
 * Starts the trial of a product on a device, or returns the trial that the device had, also after it ended or its license
 * was deleted. An address that had a trial on another device has to be confirmed: a stranger who knows an address must not
 * receive its license. Throws 404 `PRODUCT.NOT_FOUND`, 409 `TRIAL.NOT_OFFERED`, 422 `TRIAL.EMAIL_REQUIRED`, 429 `TRIAL.LIMIT_REACHED` and 403
 * `PLAN.LIMIT_REACHED`.
 */
export async function startTrial(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  input: StartTrial,
  language: MailLanguage | null,
): Promise<TrialOutcome> {
  const asked = askedOf(input, language);
  const { fingerprint, email } = asked;
  const product = await findProductByName(tenant.db.query, input.product);
  if (product === undefined || isHidden(actor, product.id)) throw unknownProduct();
  const earlier = await findRunning(services, tenant.db, product, asked);
  if (earlier !== undefined) return earlier;
  const settings = await readSettings(tenant.db);
  const policy =
    product.trial_policy_id === null ? undefined : await findPolicy(tenant.db.query, product.trial_policy_id);
  const portalUrl = email === null ? null : await findPortalUrl(services, tenant.id);
  const hit = await countHit(services, tenant, actor, settings);
  const isMailed =
    email !== null && (policy?.trial_requires_email === 1 || (await hadTrial(tenant.db.query, product, email)));
  const mailsCode = isMailed && (await mayMail(services, tenant, product, { fingerprint, email }));
  let isNew = false;
  try {
    const outcome = await transactWithEvents(services, tenant, async (tx, outbox): Promise<TrialOutcome> => {
      await holdProduct(tx, product.id);
      const context = { services, tenant, tx, outbox, actor, at: services.clock.now(), portalUrl };
      const known = await joinByDevice(context, product, asked);
      if (known !== undefined) return known;
      const offered = assertOffered(policy, product, asked);
      if (!hit.allowed) throw tooManyOfAddress(hit.retryAfterSeconds);
      await assertDayHasTrials(tx, outbox, settings, context.at, actor.requestId);
      if (email !== null && (offered.trial_requires_email === 1 || (await hadTrial(tx, product, email)))) {
        return { pending: await askForConfirmation(context, { ...asked, product, email, mailsCode }) };
      }
      return await createTrial(context, offered, asked, settings, false);
    });
    isNew = 'pending' in outcome || outcome.isNew;
    return outcome;
  } catch (error) {
    if (!hit.allowed && error instanceof AppError && error.code === 'TRIAL.LIMIT_REACHED') {
      await noteRefusedAddress(services, tenant, settings, actor.requestId);
    }
    throw error;
  } finally {
    if (!isNew) await takeBackHit(services, tenant, actor);
  }
}

/** A device has its trial by its fingerprint. Its components only recognise it at its seat. */
function askedOf(input: StartTrial, language: MailLanguage | null): Asked {
  const { components, device, email = null, name = null } = input;
  const fingerprint = storedFingerprint(named(input).fingerprint);
  return { fingerprint, email, name, device: { ...device, ...(components && { components }) }, language };
}

/**
 * Starts the trial of a confirmed address. The code works until it expires, so that an application that lost the answer
 * can repeat the request. Throws 422 `TRIAL.CODE_INVALID` and 403 `PLAN.LIMIT_REACHED`.
 */
export async function confirmTrial(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  code: string,
  language: MailLanguage | null,
): Promise<StartedTrial> {
  const typed = `trial ${tenant.id} ${typedTrialCode(code)}`;
  const hashes = [services.keyring.hash(typed), ...services.keyring.previousHashes(typed)];
  const settings = await readSettings(tenant.db);
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const request = await findRequestByCode(tx, hashes);
    if (request === undefined || request.expires_at <= services.clock.now()) throw codeInvalid();
    if (isHidden(actor, request.product_id)) throw codeInvalid();
    await holdProduct(tx, request.product_id);
    const context = { services, tenant, tx, outbox, actor, at: services.clock.now(), portalUrl: null };
    const product = orThrow(await findProductByName(tx, request.product_id), codeInvalid);
    const { fingerprint, email, name } = request;
    const asked: Asked = { fingerprint, email, name, device: JSON.parse(request.device_json), language };
    // The code proves the address.
    await confirmAddress(tx, email);
    await rememberLanguage(tx, email, language);
    const known = (await joinByDevice(context, product, asked)) ?? (await joinByEmail(context, product, asked));
    if (known !== undefined) return known;
    const policy = product.trial_policy_id === null ? undefined : await findPolicy(tx, product.trial_policy_id);
    const offered = assertOffered(policy, product, asked);
    return await createTrial(context, offered, asked, settings, true);
  });
}

/** Returns the trial of a device that holds its seat, without a transaction: applications repeat their request. */
async function findRunning(
  { clock }: Services,
  db: TenantDb,
  product: ProductsTable,
  { fingerprint }: Asked,
): Promise<StartedTrial | undefined> {
  const trial = await findByDevice(db.query, product.id, fingerprint);
  if (trial === undefined) return undefined;
  const license = await readKeptLicense(db.query, trial.license_id);
  const activation = await findActive(db.query, license.id, fingerprint, clock.now());
  return activation && { license, activation, isNew: false };
}

async function joinByDevice(
  context: TrialContext,
  product: ProductsTable,
  asked: Asked,
): Promise<StartedTrial | undefined> {
  const trial = await findByDevice(context.tx, product.id, asked.fingerprint);
  return trial && (await join(context, trial, asked));
}

/** Gives a further device the trial of its address. */
async function joinByEmail(
  context: TrialContext,
  product: ProductsTable,
  asked: Asked,
): Promise<StartedTrial | undefined> {
  const trial = asked.email === null ? undefined : await findByEmail(context.tx, product.id, asked.email);
  if (trial === undefined) return undefined;
  const joined = await join(context, trial, asked);
  const { fingerprint } = asked;
  await insertRow(context.tx, 'trials', { ...trial, id: newId(), fingerprint, email_key: null, is_first: 0 });
  return joined;
}

/** Returns the license of a trial, even if it was deleted, with a seat if it has one for the device. */
async function join(context: TrialContext, trial: TrialsTable, asked: Asked): Promise<StartedTrial> {
  const { services, tenant, tx } = context;
  const license = await lockLicenseRow(tx, trial.license_id);
  if (license === undefined) {
    return { license: await readKeptLicense(tx, trial.license_id), activation: null, isNew: false };
  }
  const input = { ...asked.device, fingerprint: asked.fingerprint };
  const activation = await activateLocked(services, tenant, context, license, input).catch(noSeat);
  return { license, activation: activation?.row ?? null, isNew: false };
}

/** A device without a seat gets the license all the same; the verdict says what to do. */
function noSeat(error: unknown): undefined {
  const { code } = error as Partial<AppError>;
  if (error instanceof AppError && (code === 'ACTIVATION.LIMIT_REACHED' || code?.startsWith('LICENSE.'))) return;
  throw error;
}

function assertOffered(policy: PoliciesTable | undefined, product: ProductsTable, { email }: Asked): PoliciesTable {
  const isOffered = policy?.product_id === product.id && policy.archived_at === null && product.archived_at === null;
  if (!isOffered) {
    const message = 'The product offers no trials without a key. Choose a trial policy in the settings of the product.';
    throw new AppError('TRIAL.NOT_OFFERED', message);
  }
  if (policy.trial_requires_email === 1 && email === null) {
    const message = 'The trial of this product needs an email address. Ask the user for it and send it.';
    throw new AppError('TRIAL.EMAIL_REQUIRED', message);
  }
  return policy;
}

/** Returns true for a product to which the caller's key is not bound. */
function isHidden({ productId }: Actor, id: string): boolean {
  return productId !== undefined && productId !== id;
}

async function hadTrial(db: TenantDb['query'], product: ProductsTable, email: string): Promise<boolean> {
  return (await findByEmail(db, product.id, email)) !== undefined;
}

/** A trial is used from its first moment, so its term begins with it, whatever the policy's terms begin with. */
async function createTrial(
  context: TrialContext,
  policy: PoliciesTable,
  { fingerprint, email, name, device }: Asked,
  { license_key_prefix, timezone }: Pick<StoredSettings, 'license_key_prefix' | 'timezone'>,
  isConfirmed: boolean,
): Promise<StartedTrial> {
  const { services, tenant, tx, outbox, actor, at } = context;
  const license = newLicense(
    { ...policy, expiry_basis: 'creation' },
    generateLicenseKey(policy.key_prefix ?? license_key_prefix),
    { holder: { name, email, reference: null } },
    at,
    timezone,
  );
  if (email !== null && !isConfirmed) await noteUnconfirmed(tx, email);
  await issueLicenses(services, tx, outbox, actor, [license], at);
  await insertRow(tx, 'trials', {
    id: newId(),
    product_id: policy.product_id,
    license_id: license.id,
    fingerprint,
    email_key: email === null ? null : foldEmail(email),
    is_first: 1,
    started_at: at,
    converted_at: null,
  });
  // After the row of the trial: a license without one would vouch for its address.
  await noticeTrial(context, license, isConfirmed);
  const activation = await activateLocked(services, tenant, context, license, { ...device, fingerprint });
  await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count: 1, at, requestId: actor.requestId });
  return { license: await readKeptLicense(tx, license.id), activation: activation.row, isNew: true };
}

function unknownProduct(): AppError {
  const message = 'No product has this code or id. Check the code; the list of products shows it.';
  return new AppError('PRODUCT.NOT_FOUND', message);
}

function codeInvalid(): AppError {
  const message =
    'The code is wrong or has expired. Check it against the mail, or start the trial again for a new code.';
  return new AppError('TRIAL.CODE_INVALID', message);
}

function tooManyOfAddress(seconds: number): AppError {
  const message = `Too many trials were started from this network. Try again in ${seconds} s, or use a license key.`;
  return new AppError('TRIAL.LIMIT_REACHED', message, { headers: { 'retry-after': String(seconds) } });
}
