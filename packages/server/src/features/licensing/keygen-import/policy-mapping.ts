import type { CreatePolicy } from '../policies/schemas.ts';
import { checkedMetadata, displayName } from './field-check.ts';
import type { Note } from './finding.ts';
import { flagOf, numberOf, type Resource, textOf } from './resource.ts';

const daySeconds = 86_400;
const daysMax = 36_500;
const activationsMax = 1_000_000;
/** Keygen's own default. */
const heartbeatSeconds = 600;
const leaseSecondsMin = 5;
const leaseSecondsMax = 31_536_000;

/** The limits in Keygen that have no counterpart. Licenses can override them. */
export const foreignLimits = ['maxUses', 'maxCores', 'maxMemory', 'maxDisk', 'maxProcesses', 'maxUsers'] as const;

/** The terms of our policy, without its codes, its product and its entitlements. */
export type PolicyTerms = Required<
  Pick<
    CreatePolicy,
    | 'name'
    | 'duration_days'
    | 'expiry_basis'
    | 'expiry_strategy'
    | 'renewal_basis'
    | 'maintenance_days'
    | 'max_activations'
    | 'activation_overage_percent'
    | 'require_activation'
    | 'lease_seconds'
    | 'metadata'
  >
>;

/** Our terms of a policy of Keygen, with the differences. */
export interface MappedPolicy {
  readonly terms: PolicyTerms;
  /** True if its expired licenses stay valid for releases before their end. */
  readonly maintains: boolean;
  /** Its limit of machines in Keygen; null is unlimited. */
  readonly maxMachines: number | null;
  /** Its other limits in Keygen, by name. */
  readonly limits: Readonly<Record<string, number | null>>;
  readonly notes: readonly Note[];
}

const bases: Readonly<Record<string, PolicyTerms['expiry_basis']>> = {
  FROM_CREATION: 'creation',
  FROM_FIRST_VALIDATION: 'first_validation',
  FROM_FIRST_ACTIVATION: 'first_activation',
};

const overagePercents: Readonly<Record<string, number | null>> = {
  NO_OVERAGE: 0,
  ALLOW_1_25X_OVERAGE: 25,
  ALLOW_1_5X_OVERAGE: 50,
  ALLOW_2X_OVERAGE: 100,
  ALWAYS_ALLOW_OVERAGE: null,
};

/** The values of Keygen that describe the behaviour of this service. Every other value is reported. */
const expectedWords: Readonly<Record<string, readonly string[]>> = {
  machineUniquenessStrategy: ['UNIQUE_PER_LICENSE'],
  machineMatchingStrategy: ['MATCH_ANY'],
  componentUniquenessStrategy: ['UNIQUE_PER_MACHINE'],
  componentMatchingStrategy: ['MATCH_ANY'],
  transferStrategy: ['KEEP_EXPIRY'],
  authenticationStrategy: ['TOKEN'],
  machineLeasingStrategy: ['PER_LICENSE'],
  processLeasingStrategy: ['PER_MACHINE'],
};

/** Flags of Keygen without a counterpart. The import reports the ones that are set. */
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
] as const;

/** Maps the attributes of a policy. */
export function mapPolicy(policy: Resource): MappedPolicy {
  const notes: Note[] = [];
  const days = durationDays(policy, notes);
  const strategy = textOf(policy, 'expirationStrategy') ?? 'RESTRICT_ACCESS';
  const maintains = strategy === 'MAINTAIN_ACCESS';
  const maxMachines = numberOf(policy, 'maxMachines') ?? (flagOf(policy, 'floating') ? null : 1);
  const limits = Object.fromEntries(foreignLimits.map((name) => [name, numberOf(policy, name)]));
  const terms: PolicyTerms = {
    name: displayName(textOf(policy, 'name'), 'Imported policy', notes),
    duration_days: days,
    expiry_basis: expiryBasis(policy, notes),
    expiry_strategy: maintains || strategy === 'ALLOW_ACCESS' ? 'allow' : 'deny',
    renewal_basis: renewalBasis(policy, notes),
    maintenance_days: maintains ? days : null,
    max_activations: activationLimit(maxMachines, notes),
    activation_overage_percent: overagePercent(policy, notes),
    require_activation: ['strict', 'requireFingerprintScope', 'requireMachineScope'].some((name) =>
      flagOf(policy, name),
    ),
    lease_seconds: leaseSeconds(policy, notes),
    metadata: checkedMetadata(policy, notes),
  };
  noteForeign(policy, notes);
  return { terms, maintains, maxMachines, limits, notes };
}

function durationDays(policy: Resource, notes: Note[]): number | null {
  const seconds = numberOf(policy, 'duration');
  if (seconds === null || seconds === 0) return null;
  const days = Math.min(daysMax, Math.ceil(seconds / daySeconds));
  if (days * daySeconds !== seconds) {
    const message = `The duration is now ${days} days: it is counted in whole days, at most ${daysMax}.`;
    notes.push({ outcome: 'adjusted', field: 'duration', value: seconds, message });
  }
  return days;
}

function expiryBasis(policy: Resource, notes: Note[]): PolicyTerms['expiry_basis'] {
  const word = textOf(policy, 'expirationBasis') ?? 'FROM_CREATION';
  const basis = bases[word];
  if (basis !== undefined) return basis;
  const message = 'New licenses now expire from their first validation, because this basis does not exist here.';
  notes.push({ outcome: 'adjusted', field: 'expirationBasis', value: word, message });
  return 'first_validation';
}

function renewalBasis(policy: Resource, notes: Note[]): PolicyTerms['renewal_basis'] {
  const word = textOf(policy, 'renewalBasis') ?? 'FROM_EXPIRY';
  if (word === 'FROM_NOW') return 'from_now';
  if (word === 'FROM_NOW_IF_EXPIRED') return 'from_expiry_or_now';
  if (word !== 'FROM_EXPIRY') {
    const message = 'A renewal now counts from the expiry, because this basis does not exist here.';
    notes.push({ outcome: 'adjusted', field: 'renewalBasis', value: word, message });
  }
  return 'from_expiry';
}

/** Returns a limit that our policies and licenses accept; null is unlimited. */
export function activationLimit(maxMachines: number | null, notes: Note[]): number | null {
  if (maxMachines === null || maxMachines <= activationsMax) return maxMachines;
  const message = `The limit is now ${activationsMax}, the largest one.`;
  notes.push({ outcome: 'adjusted', field: 'maxMachines', value: maxMachines, message });
  return activationsMax;
}

function overagePercent(policy: Resource, notes: Note[]): number | null {
  const word = textOf(policy, 'overageStrategy') ?? 'NO_OVERAGE';
  const percent = overagePercents[word];
  if (percent !== undefined) return percent;
  const message = 'No overage is allowed now, because this strategy is unknown.';
  notes.push({ outcome: 'adjusted', field: 'overageStrategy', value: word, message });
  return 0;
}

function leaseSeconds(policy: Resource, notes: Note[]): number | null {
  if (!flagOf(policy, 'requireHeartbeat')) return null;
  const cull = textOf(policy, 'heartbeatCullStrategy') ?? 'DEACTIVATE_DEAD';
  if (cull === 'KEEP_DEAD') {
    const message = 'Devices have no lease now: here, a device that is not heard from would be released.';
    notes.push({ outcome: 'adjusted', field: 'heartbeatCullStrategy', value: cull, message });
    return null;
  }
  noteWord(policy, 'heartbeatResurrectionStrategy', ['NO_REVIVE'], notes);
  noteWord(policy, 'heartbeatBasis', ['FROM_CREATION'], notes);
  const seconds = numberOf(policy, 'heartbeatDuration') ?? heartbeatSeconds;
  const lease = Math.min(leaseSecondsMax, Math.max(leaseSecondsMin, seconds));
  if (lease !== seconds) {
    const message = `The lease is now ${lease} seconds, the nearest allowed value.`;
    notes.push({ outcome: 'adjusted', field: 'heartbeatDuration', value: seconds, message });
  }
  return lease;
}

const noCounterpart = 'There is no counterpart.';

function noteWord(policy: Resource, field: string, expected: readonly string[], notes: Note[]): void {
  const value = textOf(policy, field);
  if (value === null || expected.includes(value)) return;
  notes.push({ outcome: 'left_out', field, value, message: noCounterpart });
}

function noteForeign(policy: Resource, notes: Note[]): void {
  for (const [field, expected] of Object.entries(expectedWords)) noteWord(policy, field, expected, notes);
  for (const field of foreignFlags) {
    if (flagOf(policy, field)) notes.push({ outcome: 'left_out', field, value: true, message: noCounterpart });
  }
  for (const field of foreignLimits) {
    const value = numberOf(policy, field);
    if (value !== null) notes.push({ outcome: 'left_out', field, value, message: noCounterpart });
  }
  const scheme = textOf(policy, 'scheme');
  if (scheme === null) return;
  const message = 'Existing keys are kept if they are valid here, but new keys are not signed with this scheme.';
  notes.push({ outcome: 'left_out', field: 'scheme', value: scheme, message });
}
