import { isIP } from 'node:net';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { detailSentence } from '../../../lib/error.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import { problemsOfFields } from '../licenses/import/schemas.ts';
import type { LicenseChangeInput } from '../licenses/license.ts';
import { checkedMetadata } from './field-check.ts';
import type { Note } from './finding.ts';
import { activationLimit, foreignLimits, type MappedPolicy } from './policy-mapping.ts';
import { numberOf, type Resource, relatedCount, relatedId, textOf, timeOf } from './resource.ts';

/** The owner of licenses in Keygen. */
export interface Holder {
  readonly name: string | null;
  readonly email: string | null;
  readonly reference: string;
}

/** Our fields of a license, without its policy and its entitlements. */
export interface MappedLicense {
  readonly key: string;
  readonly status: LicensesTable['status'];
  readonly change: Omit<LicenseChangeInput, 'entitlements' | 'policy_id'>;
  readonly created_at: Timestamp;
  readonly last_validated_at: Timestamp | null;
  readonly notes: readonly Note[];
}

/** The reason why a license cannot be imported. */
export interface Refusal {
  readonly refusal: Note;
}

const refuse = (message: string, field?: string): Refusal => ({
  refusal: { outcome: 'refused', ...(field !== undefined && { field }), message },
});

/** Returns the id of the license's owner, which older versions of Keygen's API call `user`. */
export function ownerOf(license: Resource): string | null {
  return relatedId(license, 'owner') ?? relatedId(license, 'user');
}

/** Maps a license of a mapped policy. The import takes place at `at`. */
export function mapLicense(
  license: Resource,
  policy: Pick<MappedPolicy, 'maxMachines' | 'limits' | 'maintains'>,
  holder: Holder | null,
  at: Timestamp,
): MappedLicense | Refusal {
  const notes: Note[] = [];
  const key = textOf(license, 'key');
  if (key === null) return refuse('Keygen does not tell the key of this license.', 'key');
  const expiry = timeOf(license, 'expiry');
  if (expiry === undefined) return refuse('The expiry is no date between 1970 and 9999.', 'expiry');
  const created = timeOf(license, 'created') ?? at;
  const createdAt = created > at ? at : created;
  const startsAt = expiry !== null && expiry <= createdAt ? addSeconds(expiry, -1) : createdAt;
  const fields = {
    key,
    holder: holderOf(license, holder),
    starts_at: startsAt,
    expires_at: expiry,
    maintenance_expires_at: policy.maintains ? expiry : null,
    max_activations: ownLimit(license, policy.maxMachines, notes),
    metadata: checkedMetadata(license, notes, holder === null ? {} : labelOf(license)),
  };
  const refusal = dropInvalid(fields, notes);
  if (refusal !== null) return refusal;
  noteForeign(license, policy.limits, notes);
  const { key: _key, ...change } = fields;
  const lastValidated = timeOf(license, 'lastValidated') ?? null;
  return { key, status: statusOf(license), change, created_at: createdAt, last_validated_at: lastValidated, notes };
}

function holderOf(license: Resource, holder: Holder | null) {
  const fields: { name: string | null; email: string | null; reference: string | null } =
    holder === null ? { name: textOf(license, 'name'), email: null, reference: ownerOf(license) } : { ...holder };
  return fields;
}

/** Keeps the license's own name beside its holder's. */
function labelOf(license: Resource): Record<string, string> {
  const name = textOf(license, 'name');
  return name === null ? {} : { keygen_name: name };
}

/** Returns the limit of the license; null if it is the limit of its policy. Keygen shows the effective limit. */
function ownLimit(license: Resource, ofPolicy: number | null, notes: Note[]): number | null {
  const limit = numberOf(license, 'maxMachines');
  return limit === ofPolicy ? null : activationLimit(limit, notes);
}

function statusOf(license: Resource): LicensesTable['status'] {
  if (textOf(license, 'status') === 'BANNED') return 'revoked';
  return license.attributes['suspended'] === true ? 'suspended' : 'active';
}

interface CheckedFields {
  readonly key: string;
  readonly holder: ReturnType<typeof holderOf>;
}

/** Clears the holder's invalid fields. Returns a refusal if another field is invalid. */
function dropInvalid(fields: CheckedFields, notes: Note[]): Refusal | null {
  for (const { field, message } of problemsOfFields(fields)) {
    const [root = '', name] = field.split('.');
    if (root === 'key') {
      const rule = 'a key has 1 to 128 characters that need no encoding in a URL, and begins with a letter or a digit';
      return refuse(`The key is not valid here: ${rule}.`, 'key');
    }
    if (root !== 'holder') return refuse(detailSentence({ field, message }));
    if (name !== 'name' && name !== 'email' && name !== 'reference') continue;
    if (fields.holder[name] === null) continue;
    fields.holder[name] = null;
    const said = `The customer's ${name} is not valid here, so it was not imported.`;
    notes.push({ outcome: 'left_out', field: 'owner', message: said });
  }
  return null;
}

function noteForeign(license: Resource, ofPolicy: MappedPolicy['limits'], notes: Note[]): void {
  const foreign = (field: string, value: number, message: string) =>
    notes.push({ outcome: 'left_out', field, value, message });
  for (const field of foreignLimits) {
    const value = numberOf(license, field);
    if (value !== null && value !== ofPolicy[field]) foreign(field, value, 'There is no counterpart.');
  }
  const uses = numberOf(license, 'uses') ?? 0;
  if (uses > 0) foreign('uses', uses, 'There is no counterpart: meter consumption with an entitlement.');
  const users = relatedCount(license, 'users');
  if (users > 0) foreign('users', users, 'A license has one customer, so its further users were not imported.');
  if (relatedId(license, 'group') !== null)
    notes.push({ outcome: 'left_out', field: 'group', message: 'There is no counterpart.' });
}

const labelMaxLength = 255;

/** Our columns of a machine. */
export interface MappedMachine {
  readonly columns: Pick<
    ActivationsTable,
    'fingerprint' | 'name' | 'hostname' | 'platform' | 'ip' | 'metadata_json' | 'created_at' | 'last_heartbeat_at'
  >;
  readonly notes: readonly Note[];
}

/** Maps a machine. The import takes place at `at`. Returns the reason if the machine cannot be imported. */
export function mapMachine(machine: Resource, at: Timestamp): MappedMachine | { readonly refusal: Note } {
  const fingerprint = textOf(machine, 'fingerprint');
  if (fingerprint === null || fingerprint.length > labelMaxLength) {
    const message = `A fingerprint must have 1 to ${labelMaxLength} characters.`;
    return { refusal: { outcome: 'refused', field: 'fingerprint', message } };
  }
  const notes: Note[] = [];
  const created = timeOf(machine, 'created') ?? at;
  const createdAt = created > at ? at : created;
  const heartbeat = timeOf(machine, 'lastHeartbeat') ?? createdAt;
  const ip = textOf(machine, 'ip');
  const columns = {
    fingerprint: storedFingerprint(fingerprint),
    name: label(machine, 'name', notes),
    hostname: label(machine, 'hostname', notes),
    platform: label(machine, 'platform', notes),
    ip: ip !== null && isIP(ip) !== 0 ? ip : null,
    metadata_json: JSON.stringify(checkedMetadata(machine, notes)),
    created_at: createdAt,
    last_heartbeat_at: heartbeat > at ? at : heartbeat,
  };
  for (const field of ['cores', 'memory', 'disk', 'maxProcesses']) {
    const value = numberOf(machine, field) ?? 0;
    if (value > 0) notes.push({ outcome: 'left_out', field, value, message: 'There is no counterpart.' });
  }
  for (const field of ['owner', 'group']) {
    if (relatedId(machine, field) !== null)
      notes.push({ outcome: 'left_out', field, message: 'There is no counterpart.' });
  }
  return { columns, notes };
}

function label(machine: Resource, field: 'name' | 'hostname' | 'platform', notes: Note[]): string | null {
  const text = textOf(machine, field);
  if (text === null || text.length <= labelMaxLength) return text;
  notes.push({ outcome: 'adjusted', field, message: `The text was cut to ${labelMaxLength} characters.` });
  return text.slice(0, labelMaxLength);
}
