import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChangeMark } from '../../../db/database.ts';
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

/**
 * Returns the body of the response to a validation: the text of a known verdict, or the envelope of a new one. Each
 * counts as a validation. A signed verdict is never a known one, because its proof contains the nonce.
 */
export function answerValidation(
  services: Services,
  known: KnownVerdicts,
  asked: ValidationRequest,
): MaybePromise<unknown> {
  const { tenant, input } = asked;
  if (input.proof === true) return answerNew(services, known, asked, undefined);
  return andThen(
    tenant.db.changeMark(),
    (mark) => answerKnown(services, known, asked, mark) ?? answerNew(services, known, asked, mark),
  );
}

function answerKnown(
  services: Services,
  known: KnownVerdicts,
  { request, reply, tenant, key, input }: ValidationRequest,
  mark: ChangeMark | undefined,
): string | undefined {
  if (mark === undefined) return undefined;
  const now = services.clock.now();
  const found = known.find(mark, key, input, now);
  if (found === undefined) return undefined;
  services.licenseValidations.record(tenant, found.licenseId, now);
  countValidation(services, tenant, found.code);
  // Fastify sends a text with the content type of JSON as it is.
  reply.header('content-type', 'application/json; charset=utf-8');
  return found.text.with({ now, nonce: input.nonce, requestId: request.id });
}

function answerNew(
  services: Services,
  known: KnownVerdicts,
  { request, reply, tenant, actor, key, input }: ValidationRequest,
  mark: ChangeMark | undefined,
): MaybePromise<unknown> {
  return andThen(validateLicense(services, tenant, actor, key, input), (validation) => {
    countValidation(services, tenant, validation.verdict.code);
    if (mark !== undefined) keep(known, mark, key, input, validation, reply);
    return success(request, validation.verdict);
  });
}

/** Returns the body of the response to a validation by the vendor, which is rare: no verdict is kept. It counts too. */
export async function answerVendorValidation(
  services: Services,
  { request, tenant, actor, key, input }: Omit<ValidationRequest, 'reply'>,
) {
  const { verdict } = await validateLicense(services, tenant, actor, key, input);
  countValidation(services, tenant, verdict.code);
  return success(request, verdict);
}

function countValidation({ metrics, activity }: Services, tenant: Tenant, code: string): void {
  metrics.validations.increment(code);
  activity.countValidation(tenant.id, code);
}

function keep(
  known: KnownVerdicts,
  mark: ChangeMark,
  key: string,
  question: ValidateLicense,
  { verdict, repeatable }: Validation,
  reply: FastifyReply,
): void {
  const { license, code, checked_at: from } = verdict;
  if (repeatable === null || license === null) return;
  const until = knownUntil(repeatable, verdict, from);
  const text = VerdictText.of(verdict, (envelope) => String(reply.serialize(envelope)));
  if (text !== undefined) known.keep(mark, key, { question, licenseId: license.id, code, from, until, text });
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
