import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { DemoCatalog } from './catalog.ts';
import type { DemoLicense } from './licenses.ts';
import { dayMs, hourMs, type Present } from './past.ts';
import type { Random } from './random.ts';

const desktops = [
  { platform: 'windows', names: ['desktop', 'laptop', 'workstation'] },
  { platform: 'macos', names: ['macbook', 'imac', 'mac-studio'] },
  { platform: 'linux', names: ['thinkpad', 'tower', 'devbox'] },
] as const;

/** The addresses that RFC 5737 reserves for documentation. */
const networks = ['192.0.2', '198.51.100', '203.0.113'] as const;

/** Returns the activations of the licenses: devices in use, devices that were replaced, and leases that ended. */
export function planActivations(
  random: Random,
  present: Present,
  catalog: DemoCatalog,
  licenses: readonly DemoLicense[],
): ActivationsTable[] {
  return licenses.flatMap((license) => {
    if (license.startedMs === null || license.model === 'metered') return [];
    const policy = catalog[license.model];
    return Array.from({ length: seatsOf(random, license, policy) }, (_, seat) =>
      planActivation(random, present, license, policy, seat),
    );
  });
}

function seatsOf(random: Random, { model, row }: DemoLicense, { max_activations }: PoliciesTable): number {
  if (row.status === 'revoked' || row.status === 'suspended') return 1;
  switch (model) {
    case 'floating':
      return random.integer(3, max_activations ?? 8);
    case 'subscription':
      // The policy admits one device more than its limit; few licenses use it.
      return random.chance(0.06) ? 3 : random.integer(1, 2);
    case 'perpetual':
      return random.integer(0, 3);
    default:
      return 1;
  }
}

function planActivation(
  random: Random,
  present: Present,
  license: DemoLicense,
  policy: PoliciesTable,
  seat: number,
): ActivationsTable {
  const createdMs = creationOf(random, present, license, seat);
  const end = endOf(random, present, { license, policy, seat, createdMs });
  return {
    id: newId(),
    license_id: license.row.id,
    fingerprint: random.hex(64),
    ...deviceOf(random, license, seat),
    ip: `${random.pick(networks)}.${random.integer(2, 250)}`,
    components_json: null,
    ...end,
    metadata_json: '{}',
    created_at: toTimestamp(Math.round(createdMs)),
  };
}

function deviceOf(random: Random, { model, holder }: DemoLicense, seat: number) {
  if (model === 'floating') {
    return { name: null, hostname: `render-${String(seat + 1).padStart(2, '0')}`, platform: 'linux' };
  }
  const { platform, names } = random.pick(desktops);
  const name = `${holder.name.split(' ')[0]}'s ${platform} computer`;
  return { name, hostname: `${holder.handle}-${random.pick(names)}`, platform };
}

/** Returns when the license ends, or now if it does not end before. */
function lastMs({ nowMs }: Present, { row }: DemoLicense): number {
  return Math.min(nowMs, row.expires_at === null ? Number.POSITIVE_INFINITY : toEpochMs(row.expires_at));
}

function creationOf(random: Random, present: Present, license: DemoLicense, seat: number): number {
  const firstMs = (license.startedMs ?? present.nowMs) + seat * random.integer(1, 4) * hourMs;
  return Math.min(firstMs, lastMs(present, license) - hourMs);
}

interface Life {
  readonly license: DemoLicense;
  readonly policy: PoliciesTable;
  readonly seat: number;
  readonly createdMs: number;
}

/** Decides whether the device is still in use: some were replaced, and licenses that ended are no longer used. */
function endOf(random: Random, present: Present, { license, policy, seat, createdMs }: Life) {
  const isRevoked = license.row.status === 'revoked';
  const endMs = lastMs(present, license);
  const hasEnded = isRevoked || endMs < present.nowMs || (seat > 0 && random.chance(0.15));
  const silentMs = random.next() * dayMs * (hasEnded ? 3 : license.model === 'floating' ? 0.4 : 2);
  const heartbeatMs = Math.max(createdMs, endMs - silentMs);
  const leaseMs = policy.lease_seconds === null ? null : heartbeatMs + policy.lease_seconds * 1000;
  const isReleased = hasEnded && (leaseMs === null ? seat > 0 || isRevoked : leaseMs < present.nowMs);
  const reason = leaseMs === null ? 'deactivated' : 'lease_expired';
  return {
    last_heartbeat_at: toTimestamp(Math.round(heartbeatMs)),
    lease_expires_at: leaseMs === null ? null : toTimestamp(Math.round(leaseMs)),
    released_at: isReleased ? toTimestamp(Math.round(leaseMs ?? heartbeatMs)) : null,
    release_reason: isReleased ? reason : null,
  } as const;
}
