import type { Note } from './finding.ts';
import { type Notes, refusal } from './finding.ts';
import { flagOf, metadataOf, numberOf, type Resource, relatedCount, relatedId, textOf } from './resource.ts';

const daySeconds = 86_400;
const daysMax = 36_500;
const activationsMax = 1_000_000;
/** Keygen's own default. */
const heartbeatSeconds = 600;
const leaseSecondsMin = 5;
const leaseSecondsMax = 31_536_000;
const labelMaxLength = 255;

/** Returns a display name of 1 to 100 characters. */
export function nameOf(resource: Resource, fallback: string, notes: Notes): string {
  const name = (textOf(resource, 'name') ?? '').trim() || fallback;
  if (name.length <= 100) return name;
  notes.adjusted('name', 'The name was cut to 100 characters.');
  return name.slice(0, 100).trim();
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** Returns the metadata of a resource and the entries of `more`; only `more` if both together are too large. */
export function checkedMetadata(resource: Resource, notes: Notes, more: Readonly<Record<string, unknown>> = {}) {
  const metadata = { ...metadataOf(resource), ...more };
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (Object.keys(metadata).length <= 64 && bytes <= 16_384 && depthOf(metadata) <= 4) return metadata;
  notes.leftOut('metadata', undefined, 'The metadata have more than 64 keys, 16 KiB or 4 levels.');
  return more;
}

/** Returns a code of lower-case letters, digits and hyphens that is not in `taken`, and adds it. */
export function uniqueCode(text: string, taken: Set<string>): string {
  const words = text.normalize('NFKD').toLowerCase();
  const parts = words.split(/[^a-z0-9]+/).filter((part) => part !== '');
  const base = parts.join('-').slice(0, 56) || 'imported';
  let code = base;
  for (let number = 2; taken.has(code); number += 1) code = `${base}-${number}`;
  taken.add(code);
  return code;
}

/** The limits in Keygen that have no counterpart. Licenses can override them. */
const foreignLimits = ['maxUses', 'maxCores', 'maxMemory', 'maxDisk', 'maxProcesses', 'maxUsers'] as const;

const bases = {
  FROM_CREATION: 'creation',
  FROM_FIRST_VALIDATION: 'first_validation',
  FROM_FIRST_ACTIVATION: 'first_activation',
} as const;
const renewals = {
  FROM_EXPIRY: 'from_expiry',
  FROM_NOW: 'from_now',
  FROM_NOW_IF_EXPIRED: 'from_expiry_or_now',
} as const;
const overages = {
  NO_OVERAGE: 0,
  ALLOW_1_25X_OVERAGE: 25,
  ALLOW_1_5X_OVERAGE: 50,
  ALLOW_2X_OVERAGE: 100,
  ALWAYS_ALLOW_OVERAGE: null,
} as const;

/** The values of Keygen that describe the behaviour of this service. Every other value is reported. */
const expectedWords: Readonly<Record<string, string>> = {
  machineUniquenessStrategy: 'UNIQUE_PER_LICENSE',
  machineMatchingStrategy: 'MATCH_ANY',
  componentUniquenessStrategy: 'UNIQUE_PER_MACHINE',
  componentMatchingStrategy: 'MATCH_ANY',
  transferStrategy: 'KEEP_EXPIRY',
  authenticationStrategy: 'TOKEN',
  machineLeasingStrategy: 'PER_LICENSE',
  processLeasingStrategy: 'PER_MACHINE',
};

/** Flags of Keygen without a counterpart. */
const foreignFlags = [
  'usePool',
  'encrypted',
  'protected',
  'requireCheckIn',
  'requireProductScope',
  'requirePolicyScope',
  'requireUserScope',
  'requireChecksumScope',
  'requireVersionScope',
  'requireComponentsScope',
];

/** Returns our value of a word; `fallback`, which `message` explains, for an unknown one. */
function wordOf<Value>(
  policy: Resource,
  field: string,
  values: Readonly<Record<string, Value>>,
  fallback: Value,
  message: string,
  notes: Notes,
): Value {
  const word = textOf(policy, field) ?? Object.keys(values)[0] ?? '';
  const value = values[word];
  if (value !== undefined) return value;
  notes.adjusted(field, message, word);
  return fallback;
}

/** A policy of Keygen, as its licenses need it. */
export interface PolicyTraits {
  /** Its limit of machines; null is unlimited. */
  readonly maxMachines: number | null;
  /** Whether its expired licenses stay valid for releases before their end. */
  readonly maintains: boolean;
  /** Its other limits, by name. */
  readonly limits: Readonly<Record<string, number | null>>;
}

/** Maps the attributes of a policy, without its product and its entitlements. */
export function mapPolicy(policy: Resource, notes: Notes) {
  const strategy = textOf(policy, 'expirationStrategy') ?? 'RESTRICT_ACCESS';
  const maintains = strategy === 'MAINTAIN_ACCESS';
  const maxMachines = numberOf(policy, 'maxMachines') ?? (flagOf(policy, 'floating') ? null : 1);
  const days = durationDays(policy, notes);
  const terms = {
    name: nameOf(policy, 'Imported policy', notes),
    durationDays: days,
    expiryBasis: wordOf(policy, 'expirationBasis', bases, 'first_validation', newLicensesText, notes),
    expiryStrategy: maintains || strategy === 'ALLOW_ACCESS' ? 'allow' : 'deny',
    renewalBasis: wordOf(policy, 'renewalBasis', renewals, 'from_expiry', renewalText, notes),
    maintenanceDays: maintains ? days : null,
    maxActivations: activationLimit(maxMachines, notes),
    activationOveragePercent: wordOf(policy, 'overageStrategy', overages, 0, overageText, notes),
    requireActivation: ['strict', 'requireFingerprintScope', 'requireMachineScope'].some((one) => flagOf(policy, one)),
    leaseSeconds: leaseSeconds(policy, notes),
  } as const;
  for (const [field, expected] of Object.entries(expectedWords)) noteWord(policy, field, expected, notes);
  for (const field of foreignFlags) if (flagOf(policy, field)) notes.leftOut(field, true);
  const limits = Object.fromEntries(foreignLimits.map((name) => [name, numberOf(policy, name)]));
  for (const [field, value] of Object.entries(limits)) if (value !== null) notes.leftOut(field, value);
  const scheme = textOf(policy, 'scheme');
  if (scheme !== null) notes.leftOut('scheme', scheme, 'New keys are not signed with this scheme.');
  const traits: PolicyTraits = { maxMachines, maintains, limits };
  return { terms, traits };
}

const newLicensesText = 'New licenses expire from their first validation, because this basis does not exist here.';
const renewalText = 'A renewal counts from the expiry, because this basis does not exist here.';
const overageText = 'No overage is allowed, because this strategy is unknown.';

function noteWord(policy: Resource, field: string, expected: string, notes: Notes): void {
  const value = textOf(policy, field);
  if (value !== null && value !== expected) notes.leftOut(field, value);
}

function durationDays(policy: Resource, notes: Notes): number | null {
  const seconds = numberOf(policy, 'duration');
  if (seconds === null || seconds === 0) return null;
  const days = Math.min(daysMax, Math.ceil(seconds / daySeconds));
  if (days * daySeconds !== seconds) {
    const message = `The duration is ${days} days: it is counted in whole days, at most ${daysMax}.`;
    notes.adjusted('duration', message, seconds);
  }
  return days;
}

function activationLimit(maxMachines: number | null, notes: Notes): number | null {
  if (maxMachines === null || maxMachines <= activationsMax) return maxMachines;
  notes.adjusted('maxMachines', `The limit is ${activationsMax}, the largest one.`, maxMachines);
  return activationsMax;
}

function leaseSeconds(policy: Resource, notes: Notes): number | null {
  if (!flagOf(policy, 'requireHeartbeat')) return null;
  if (textOf(policy, 'heartbeatCullStrategy') === 'KEEP_DEAD') {
    const message = 'Devices have no lease: here, a device that is not heard from would be released.';
    notes.adjusted('heartbeatCullStrategy', message, 'KEEP_DEAD');
    return null;
  }
  noteWord(policy, 'heartbeatResurrectionStrategy', 'NO_REVIVE', notes);
  noteWord(policy, 'heartbeatBasis', 'FROM_CREATION', notes);
  const seconds = numberOf(policy, 'heartbeatDuration') ?? heartbeatSeconds;
  const lease = Math.min(leaseSecondsMax, Math.max(leaseSecondsMin, seconds));
  if (lease !== seconds) notes.adjusted('heartbeatDuration', `The lease is ${lease} seconds.`, seconds);
  return lease;
}

/** The owner of licenses. */
export interface Holder {
  name: string | null;
  email: string | null;
  reference: string | null;
}

/** Maps a user; null for a member of the vendor's own team. */
export function mapUser(user: Resource, notes: Notes): Holder | null {
  const role = textOf(user, 'role') ?? 'user';
  if (role !== 'user') {
    notes.leftOut('role', role, 'It belongs to your team: invite it as a member of the tenant.');
    return null;
  }
  if (Object.keys(metadataOf(user)).length > 0) notes.leftOut('metadata', undefined, 'Customers have no metadata.');
  const names = [textOf(user, 'firstName'), textOf(user, 'lastName')].filter((name) => name !== null);
  return {
    name: textOf(user, 'fullName') ?? (names.join(' ') || null),
    email: textOf(user, 'email'),
    reference: user.id,
  };
}

/** Returns the id of the license's owner, which older versions of Keygen's API call `user`. */
export function ownerOf(license: Resource): string | null {
  return relatedId(license, 'owner') ?? relatedId(license, 'user');
}

/** A row of the service's import of licenses. */
export interface LicenseRow {
  readonly key: string;
  readonly policy_id: string;
  readonly status: 'active' | 'suspended' | 'revoked';
  readonly holder: Holder;
  readonly starts_at?: string;
  readonly expires_at: string | null;
  readonly maintenance_expires_at: string | null;
  readonly max_activations: number | null;
  readonly entitlements: readonly { readonly code: string }[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** As the service accepts it: text that needs no encoding in the path of a URL. */
const keyPattern = /^[A-Za-z0-9][A-Za-z0-9._~!$&'()*+,;=:@-]{0,127}$/;
const keyRule = 'a key has 1 to 128 characters that need no encoding in a URL, and begins with a letter or a digit';

/** Maps a license of an imported policy, without its entitlements. Returns the reason if it cannot be imported. */
export function mapLicense(
  license: Resource,
  policy: PolicyTraits,
  holder: Holder | undefined,
  notes: Notes,
): Omit<LicenseRow, 'policy_id' | 'entitlements'> | Note {
  const key = textOf(license, 'key');
  if (key === null) return refusal('Keygen does not tell the key of this license.', 'key');
  if (!keyPattern.test(key)) return refusal(`The key is not valid here: ${keyRule}.`, 'key');
  const expiry = textOf(license, 'expiry');
  if (expiry !== null && Number.isNaN(Date.parse(expiry))) return refusal('The expiry is not a date.', 'expiry');
  const ownerId = ownerOf(license);
  const name = textOf(license, 'name');
  if (ownerId !== null && holder === undefined) {
    notes.leftOut('owner', undefined, 'Keygen does not list its owner among the users.');
  }
  noteForeign(license, policy, notes);
  return {
    key,
    status: statusOf(license),
    holder: holder ?? { name: ownerId === null ? name : null, email: null, reference: ownerId },
    ...startOf(license, expiry),
    expires_at: expiry,
    maintenance_expires_at: policy.maintains ? expiry : null,
    max_activations: ownLimit(license, policy, notes),
    metadata: checkedMetadata(license, notes, holder === undefined || name === null ? {} : { keygen_name: name }),
  };
}

function statusOf(license: Resource): LicenseRow['status'] {
  if (textOf(license, 'status') === 'BANNED') return 'revoked';
  return flagOf(license, 'suspended') ? 'suspended' : 'active';
}

/** A license starts when it was created, but before its end. */
function startOf(license: Resource, expiry: string | null): { starts_at?: string } {
  const startMs = Date.parse(textOf(license, 'created') ?? '');
  const endMs = expiry === null ? Number.POSITIVE_INFINITY : Date.parse(expiry);
  return Number.isNaN(startMs) ? {} : { starts_at: new Date(Math.min(startMs, endMs - 1000)).toISOString() };
}

/** Returns the license's own limit; null if it is that of its policy. Keygen shows the effective limit. */
function ownLimit(license: Resource, { maxMachines }: PolicyTraits, notes: Notes): number | null {
  const limit = numberOf(license, 'maxMachines');
  return limit === maxMachines ? null : activationLimit(limit, notes);
}

function noteForeign(license: Resource, policy: PolicyTraits, notes: Notes): void {
  for (const field of foreignLimits) {
    const value = numberOf(license, field);
    if (value !== null && value !== policy.limits[field]) notes.leftOut(field, value);
  }
  const uses = numberOf(license, 'uses') ?? 0;
  if (uses > 0) notes.leftOut('uses', uses, 'There is no counterpart: meter consumption with an entitlement.');
  const users = relatedCount(license, 'users');
  if (users > 0) notes.leftOut('users', users, 'A license has one customer, so its further users were not imported.');
  if (relatedId(license, 'group') !== null) notes.leftOut('group');
}

/** Maps a machine to the request of an activation. Returns the reason if it cannot be imported. */
export function mapMachine(machine: Resource, notes: Notes) {
  const fingerprint = textOf(machine, 'fingerprint');
  if (fingerprint === null || fingerprint.length > labelMaxLength) {
    return refusal(`A fingerprint must have 1 to ${labelMaxLength} characters.`, 'fingerprint');
  }
  if (textOf(machine, 'heartbeatStatus') === 'DEAD') return refusal('It is dead.', 'heartbeatStatus');
  for (const field of ['cores', 'memory', 'disk', 'maxProcesses']) {
    const value = numberOf(machine, field) ?? 0;
    if (value > 0) notes.leftOut(field, value);
  }
  for (const field of ['owner', 'group']) if (relatedId(machine, field) !== null) notes.leftOut(field);
  const labels = (['name', 'hostname', 'platform'] as const).flatMap((field) => {
    const text = textOf(machine, field);
    if (text !== null && text.length > labelMaxLength) {
      notes.adjusted(field, `The text was cut to ${labelMaxLength} characters.`);
    }
    return text === null ? [] : [[field, text.slice(0, labelMaxLength)] as const];
  });
  return { fingerprint, ...Object.fromEntries(labels), metadata: checkedMetadata(machine, notes) };
}
