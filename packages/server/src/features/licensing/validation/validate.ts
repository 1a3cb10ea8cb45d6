import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { presentActivation } from '../activations/activation.ts';
import { findSimilar, storeChangedDevice } from '../activations/device-service.ts';
import { meteredEntries, noCounters, parseEntitlements } from '../entitlements/decision.ts';
import { activationLimit } from '../licenses/activation-capacity.ts';
import { presentLicense } from '../licenses/license.ts';
import { readByTypedKey } from '../licenses/license-key.ts';
import { beginTermAtFirstValidation } from '../licenses/lifecycle-service.ts';
import type { ValidationTimes } from '../licenses/validation-times.ts';
import { readCounters } from '../usage/counters-service.ts';
import { assertProofNonce, signVerdict } from './proof.ts';
import { findForValidation, findLastActivation, type ValidationRow } from './queries.ts';
import type { ValidateLicense, Verdict } from './schemas.ts';
import { judge, type VerdictQuestion, type VerdictSubject } from './verdict.ts';

type KnownTimes = Pick<ValidationTimes, 'newest'>;

/** Most verdicts are valid and show their own time, so the buffered one need not be looked up for them. */
const storedTimes: KnownTimes = { newest: (_licenseId, stored) => stored };

/** No activation has an empty fingerprint, so the read returns no activation. */
const noFingerprint = '';

/**
 * What a valid verdict changes: the time of the last validation, and a term that begins with the first one; only that
 * term, for a certificate; or nothing, for the vendor's own people.
 */
export type RecordedVerdict = 'validation' | 'term' | 'nothing';

/**
 * Returns the verdict on the license with this key; an unknown key gives `LICENSE.NOT_FOUND`. `last_validated_at` is written after the response. The exception is the first valid verdict
 * under a policy whose term begins with it: the term is written before the response. `records` says what a valid verdict
 * changes. With `proof` the verdict is signed; a nonce that is too short or too long throws 422.
 */
export async function validateLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  key: string,
  input: ValidateLicense,
  records: RecordedVerdict = 'validation',
): Promise<Verdict> {
  if (input.proof === true) assertProofNonce(input);
  const now = services.clock.now();
  const row = await readLicense(tenant, actor, key, input, now);
  const verdict = await verdictOn(services, tenant, actor, { key, input, row, now, records });
  const mayChange = input.components !== undefined && row?.policy_fingerprint_matching !== 'exact';
  if (mayChange && records !== 'nothing') await keepChangedDevice(services, tenant, actor, input, verdict);
  if (input.proof !== true) return verdict;
  const signed = { key, question: input, verdict, product: row?.product_code ?? null };
  return { ...verdict, proof: await signVerdict(services, tenant, signed) };
}

/** The row of the license with this key, undefined without one, and the request. */
interface Question {
  readonly key: string;
  readonly input: ValidateLicense;
  readonly row: ValidationRow | undefined;
  readonly now: Timestamp;
  readonly records: RecordedVerdict;
}

/** Returns the verdict on a row, and records a valid one as the license's newest validation. */
async function verdictOn(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { key, input, row, now, records }: Question,
): Promise<Verdict> {
  const { validationTimes } = services;
  const judgeRow = async (judged: ValidationRow | undefined, validations: KnownTimes) =>
    present(validations, judged, await subjectOf(tenant, judged, input, now), input, now);
  const verdict = await judgeRow(row, storedTimes);
  if (row === undefined) return verdict;
  const isFirst = isFirstOfTerm(row);
  if (!verdict.valid || records === 'nothing' || (records === 'term' && !isFirst)) {
    setValidatedAt(verdict, validationTimes.newest(row.id, row.last_validated_at));
    return verdict;
  }
  if (isFirst) {
    await beginTermAtFirstValidation(services, tenant, actor, row.id);
    return await judgeRow(await readLicense(tenant, actor, key, input, now), validationTimes);
  }
  validationTimes.record(tenant, row.id, now);
  setValidatedAt(verdict, now);
  return verdict;
}

/**
 * Stores what changed about a device, under a policy that recognises it by its components. The verdict does not depend on
 * it, so a tenant that cannot be written to, such as one that is moved, answers all the same: the next validation stores the
 * change.
 */
async function keepChangedDevice(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { fingerprint, components }: ValidateLicense,
  verdict: Verdict,
): Promise<void> {
  const { valid, license, activation } = verdict;
  if (components === undefined || fingerprint === undefined || license === null || activation === null || !valid) return;
  try {
    const found = { id: activation.id, licenseId: license.id };
    const stored = await storeChangedDevice(services, tenant, actor, found, { fingerprint, components });
    if (stored !== undefined) verdict.activation = presentActivation(stored, verdict.checked_at);
  } catch (error) {
    services.logger.warn({ err: error, tenant_id: tenant.id }, 'a changed device was not stored');
  }
}

/** Assigns instead of copying, because every validation calls this function. */
function setValidatedAt({ license }: Verdict, at: Timestamp | null): void {
  if (license !== null) license.last_validated_at = at;
}

async function readLicense(
  tenant: Tenant,
  actor: Actor,
  key: string,
  { fingerprint, components }: ValidateLicense,
  now: Timestamp,
): Promise<ValidationRow | undefined> {
  const stored = fingerprint === undefined ? undefined : storedFingerprint(fingerprint);
  const row = await readByTypedKey(key, actor, (spelling) =>
    tenant.db.first(findForValidation, [spelling, stored ?? noFingerprint, now]),
  );
  if (row?.activation_id !== null) return row;
  const { policy_fingerprint_matching: matching } = row;
  const similar = components && (await findSimilar(tenant.db.query, row.id, matching, components, now));
  return similar === undefined ? await withEndedLease(tenant, row, stored) : withActivation(row, similar);
}

/**
 * Adds the activation of the fingerprint when its lease expired and the lease job has closed it, so that the verdict is
 * the same before and after the job. Costs a second read only when the verdict is a denial.
 */
async function withEndedLease(
  tenant: Tenant,
  row: ValidationRow,
  fingerprint: string | undefined,
): Promise<ValidationRow> {
  if (row.policy_require_activation === 0 || fingerprint === undefined) return row;
  const last = await tenant.db.first(findLastActivation, [row.id, fingerprint]);
  return last?.release_reason === 'lease_expired' ? withActivation(row, last) : row;
}

function withActivation(row: ValidationRow, activation: ActivationsTable): ValidationRow {
  return {
    ...row,
    activation_id: activation.id,
    activation_fingerprint: activation.fingerprint,
    activation_name: activation.name,
    activation_hostname: activation.hostname,
    activation_platform: activation.platform,
    activation_ip: activation.ip,
    activation_last_heartbeat_at: activation.last_heartbeat_at,
    activation_lease_expires_at: activation.lease_expires_at,
    activation_metadata_json: activation.metadata_json,
    activation_created_at: activation.created_at,
  };
}

/** Even if the policy turns out to begin no term, this happens once: the license has then been validated. */
function isFirstOfTerm(row: ValidationRow): boolean {
  return row.policy_expiry_basis === 'first_validation' && row.last_validated_at === null;
}

function present(
  validations: KnownTimes,
  row: ValidationRow | undefined,
  subject: VerdictSubject | null,
  input: ValidateLicense,
  now: Timestamp,
): Verdict {
  const { valid, code, detail, entitlements } = judge(subject, toQuestion(input), now);
  const license = row === undefined ? null : presentLicense(row, now, validations);
  // Assigned instead of copied, because every validation runs this line.
  if (license !== null && subject !== null) license.max_activations = activationLimit(subject.license, subject.policy);
  const activation = row === undefined ? null : toActivation(row);
  return {
    valid,
    code,
    detail,
    checked_at: now,
    nonce: input.nonce ?? null,
    license,
    activation: activation === null ? null : presentActivation(activation, now),
    entitlements: [...entitlements],
  };
}

function toQuestion(input: ValidateLicense): VerdictQuestion {
  const { product, fingerprint, entitlements, version_released_at } = input;
  return {
    product,
    fingerprint,
    entitlements,
    versionReleasedAt: version_released_at === undefined ? undefined : toStoredTimestamp(version_released_at),
  };
}

/** Reads the counters of metered entitlements; without any, it reads nothing. */
async function subjectOf(
  tenant: Tenant,
  row: ValidationRow | undefined,
  input: ValidateLicense,
  now: Timestamp,
): Promise<VerdictSubject | null> {
  if (row === undefined) return null;
  const subject = toSubject(row);
  const metered = meteredEntries(subject.entitlements, input.entitlements ?? 'granted', now);
  if (metered.length === 0) return subject;
  return { ...subject, counters: await readCounters(tenant.db, row.id, metered, row.timezone, now) };
}

function toSubject(row: ValidationRow): VerdictSubject {
  return {
    license: row,
    policy: {
      expiry_strategy: row.policy_expiry_strategy,
      grace_days: row.policy_grace_days,
      max_activations: row.policy_max_activations,
      activation_overage_percent: row.policy_activation_overage_percent,
      require_activation: row.policy_require_activation,
    },
    product: { id: row.product_id, code: row.product_code },
    entitlements: {
      policy: parseEntitlements(row.policy_entitlements_json),
      license: parseEntitlements(row.entitlements_json),
    },
    counters: noCounters,
    activation: row.activation_id === null ? null : { lease_expires_at: row.activation_lease_expires_at },
    activeActivations: row.activations_count,
  };
}

function toActivation(row: ValidationRow): ActivationsTable | null {
  const { activation_id: id, activation_fingerprint: fingerprint } = row;
  if (id === null || fingerprint === null) return null;
  return {
    id,
    license_id: row.id,
    fingerprint,
    name: row.activation_name,
    hostname: row.activation_hostname,
    platform: row.activation_platform,
    ip: row.activation_ip,
    components_json: null,
    last_heartbeat_at: row.activation_last_heartbeat_at ?? row.created_at,
    lease_expires_at: row.activation_lease_expires_at,
    metadata_json: row.activation_metadata_json ?? '{}',
    created_at: row.activation_created_at ?? row.created_at,
    released_at: null,
    release_reason: null,
  };
}
