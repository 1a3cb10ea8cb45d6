import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChangeMark } from '../../../db/change-mark.ts';
import { success } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { parseEntitlements } from '../entitlements/check.ts';
import { type KnownVerdicts, VerdictText } from './known-verdicts.ts';
import type { ValidationRow } from './queries.ts';
import type { ValidateLicense, Verdict } from './schemas.ts';
import { type Validation, validateLicense } from './validate.ts';

/** One request to validate the license with this key. */
interface ValidationRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly key: string;
  readonly input: ValidateLicense;
}

/** A state of the tenant's database, before the rows of a verdict are read. */
interface Known {
  readonly verdicts: KnownVerdicts;
  readonly mark: ChangeMark;
  readonly changes: number;
}

/**
 * Returns the body of the response to a validation: the text of a known verdict, or of a new one. Each counts as a
 * validation. A signed verdict is never a known one, because its proof contains the nonce.
 */
export function answerValidation(
  services: Services,
  verdicts: KnownVerdicts,
  asked: ValidationRequest,
): MaybePromise<unknown> {
  const { tenant, key, input } = asked;
  if (input.proof === true) return answerNew(services, asked, undefined);
  return andThen(tenant.db.changeMark(), (mark) => {
    if (mark === undefined) return answerNew(services, asked, undefined);
    const now = services.clock.now();
    const found = verdicts.find(mark, key, input, now);
    if (found === undefined) return answerNew(services, asked, { verdicts, mark, changes: mark.changes });
    services.licenseValidations.record(tenant, found.licenseId, now);
    countValidation(services, asked, found.code);
    recordCheck(services, asked, { id: found.licenseId, code: found.code, isAllowed: true, at: now });
    return sendText(asked, found.text, now);
  });
}

function answerNew(services: Services, asked: ValidationRequest, known: Known | undefined): MaybePromise<unknown> {
  const { request, tenant, actor, key, input } = asked;
  return andThen(validateLicense(services, tenant, actor, key, input), (validation) => {
    const { verdict } = validation;
    const { license, code, valid, checked_at: at } = verdict;
    countValidation(services, asked, code);
    if (license !== null) recordCheck(services, asked, { id: license.id, code, isAllowed: valid, at });
    const text = known && keep(known, asked, validation);
    return text === undefined ? success(request, verdict) : sendText(asked, text, verdict.checked_at);
  });
}

function sendText({ request, reply, input }: ValidationRequest, text: VerdictText, now: Timestamp): string {
  // Fastify sends a text with the content type of JSON as it is.
  reply.header('content-type', 'application/json; charset=utf-8');
  return text.with({ now, nonce: input.nonce, requestId: request.id });
}

/** Returns the body of the response to a validation by the vendor, which is rare: no verdict is kept. It counts too. */
export async function answerVendorValidation(
  services: Services,
  { request, tenant, actor, key, input }: Omit<ValidationRequest, 'reply'>,
) {
  const { verdict } = await validateLicense(services, tenant, actor, key, input);
  countValidation(services, { tenant }, verdict.code);
  return success(request, verdict);
}

function countValidation({ metrics, activity }: Services, { tenant }: Pick<ValidationRequest, 'tenant'>, code: string) {
  metrics.validations.increment(code);
  activity.countValidation(tenant.id, code);
}

/** The result of a validation of a license. */
interface Result {
  readonly id: string;
  readonly code: string;
  readonly isAllowed: boolean;
  readonly at: Timestamp;
}

/** Records what a device was told. A validation by the vendor is not recorded: no device asked. */
function recordCheck({ licenseChecks }: Services, asked: ValidationRequest, { id, ...result }: Result): void {
  const { fingerprint, app_version: appVersion } = asked.input;
  const check = { kind: 'validation', fingerprint, appVersion, address: asked.actor.ip, ...result } as const;
  licenseChecks.record(asked.tenant, id, check);
}

/** Keeps a verdict and returns the text of its response; undefined if it must not be kept. */
function keep(
  { verdicts, mark, changes }: Known,
  { reply, input: question }: ValidationRequest,
  { verdict, repeatable }: Validation,
): VerdictText | undefined {
  const { license, code, checked_at: from } = verdict;
  if (repeatable === null || license === null) return undefined;
  const text = VerdictText.of(verdict, (envelope) => String(reply.serialize(envelope)));
  if (text === undefined) return undefined;
  const until = knownUntil(repeatable, verdict, from);
  // By the stored key: another license may get the spelling of the request as its own key.
  verdicts.keep(mark, license.key, { question, licenseId: license.id, changes, code, from, until, text });
  return text;
}

/** Later than every timestamp. */
const never: Timestamp = '9999-12-31T23:59:59.999999Z';

/**
 * Returns the first moment, not before `now`, at which time alone may change the verdict of `now`: a license, a
 * grace period, a lease or an override ends or begins, or a counter resets. Until then, and as long as no row changes,
 * the verdict stays the same except for `checked_at` and `last_validated_at`.
 */
function knownUntil(row: ValidationRow, verdict: Verdict, now: Timestamp): Timestamp {
  let first = never;
  const consider = (moment: Timestamp | null | undefined) => {
    if (moment != null && moment >= now && moment < first) first = moment;
  };
  consider(row.starts_at);
  consider(row.expires_at);
  if (row.expires_at !== null) consider(addDays(row.expires_at, row.policy_grace_days));
  consider(row.next_lease_end);
  for (const { expires_at } of parseEntitlements(row.entitlements_json)) consider(expires_at);
  for (const { resets_at } of verdict.entitlements) consider(resets_at);
  return first;
}
