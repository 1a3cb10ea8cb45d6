import { createHash } from 'node:crypto';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';

/** The parts of a device by name, each with a value that identifies it, such as the hash of a serial number. */
export type Components = Readonly<Record<string, string>>;

/** The most components of a device. */
export const componentsMax = 16;

/** The components that an activation stores. `missing`: the newest request did not have them; the values are older. */
export interface StoredComponents {
  readonly present: Components;
  readonly missing: Components;
}

/** How a device names itself: with a fingerprint, with its components, or with both. */
export interface NamedDevice {
  readonly fingerprint?: string | undefined;
  readonly components?: Components | undefined;
}

/**
 * Returns the fingerprint of a device that sends components only: SHA-256, in hexadecimal digits, of the lines
 * `name=value` in the order of their bytes, with a line feed between them. Values count as they were sent, because the
 * device computes the same fingerprint to check its certificate without a network.
 */
export function componentsFingerprint(components: Components): string {
  // A name is ASCII and has no `=`, so two lines differ before their values, and UTF-16 sorts them as bytes do.
  const lines = Object.entries(components).map(([name, value]) => `${name}=${value}`);
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

/** Returns the device with the fingerprint of its components if it has no other one. */
export function withFingerprint<Device extends NamedDevice>(device: Device): Device {
  const { fingerprint, components } = device;
  if (fingerprint !== undefined || components === undefined) return device;
  return { ...device, fingerprint: componentsFingerprint(components) };
}

/** Does the same for a request whose schema requires one of both (`namesDevice`). */
export function named<Device extends NamedDevice>(device: Device): Device & { readonly fingerprint: string } {
  const { fingerprint, components = {} } = device;
  return { ...device, fingerprint: fingerprint ?? componentsFingerprint(components) };
}

/** Reads the column of an activation. */
export function parseComponents(json: string): StoredComponents {
  return JSON.parse(json);
}

/** Returns components with their values in the spelling in which they are stored and compared. */
function normalized(components: Components): Components {
  return Object.fromEntries(Object.entries(components).map(([name, value]) => [name, storedFingerprint(value)]));
}

/**
 * Returns how many components of a request have the value that an activation stores; 0 if it is another device. The
 * request must be `normalized`. This runs for each device of a license, and creates no objects.
 *
 * A stored component that the request leaves out is compared and differs: otherwise a request with a few common ones,
 * such as the system's, would match any device. A component that was missing already is compared only if the request has
 * it. So a device that loses its parts one by one stays the same, and another device of its series, which has these
 * parts, does not become it. A component that was never stored is not compared, so that applications may add some.
 */
export function matchingComponents(
  matching: PoliciesTable['fingerprint_matching'],
  { present, missing }: StoredComponents,
  sent: Components,
): number {
  let [equal, compared] = [0, 0];
  for (const name in present) {
    compared += 1;
    if (present[name] === sent[name]) equal += 1;
  }
  for (const name in missing) {
    if (!Object.hasOwn(sent, name)) continue;
    compared += 1;
    if (missing[name] === sent[name]) equal += 1;
  }
  if (matching === 'most') return equal * 2 > compared ? equal : 0;
  return matching === 'any' ? equal : 0;
}

/** An active device that a request can be about. */
export interface KnownDevice {
  readonly id: string;
  readonly components: StoredComponents;
  readonly lastSeenAt: Timestamp;
}

/** Returns the device with the most matching components, of several the one that was seen last; undefined: none matches. */
export function mostSimilar<Known extends KnownDevice>(
  known: readonly Known[],
  matching: PoliciesTable['fingerprint_matching'],
  sent: Components,
): Known | undefined {
  const values = normalized(sent);
  let found: { readonly device: Known; readonly equal: number } | undefined;
  for (const device of known) {
    const equal = matchingComponents(matching, device.components, values);
    const isBetter =
      found === undefined ||
      equal > found.equal ||
      (equal === found.equal && device.lastSeenAt > found.device.lastSeenAt);
    if (equal > 0 && isBetter) found = { device, equal };
  }
  return found?.device;
}

const none: StoredComponents = { present: {}, missing: {} };

/**
 * Returns the components that an activation stores after a request of its device: at most 16. Beyond that, it forgets the
 * ones that have been missing the longest.
 */
export function mergeComponents(stored: StoredComponents | null, sent: Components): StoredComponents {
  const { present, missing } = stored ?? none;
  const left = [...Object.entries(present), ...Object.entries(missing)]
    .filter(([name]) => !Object.hasOwn(sent, name))
    .slice(0, Math.max(0, componentsMax - Object.keys(sent).length));
  return { present: normalized(sent), missing: Object.fromEntries(left) };
}

/** How a component changed. Its values are not part of it, because they can identify a person's hardware. */
export interface ComponentChange {
  readonly field: string;
  readonly old: 'known' | 'missing' | null;
  readonly new: 'known' | 'changed' | 'missing' | null;
}

/** Returns the components that differ between two requests of a device. */
export function changedComponents(before: StoredComponents | null, after: StoredComponents): ComponentChange[] {
  const former = before ?? none;
  const names = [former, after].flatMap(({ present, missing }) => [...Object.keys(present), ...Object.keys(missing)]);
  return [...new Set(names)].sort().flatMap((name) => {
    const [old, now] = [stateOf(former, name), stateOf(after, name)];
    const hasChanged = old === 'known' && now === 'known' && former.present[name] !== after.present[name];
    return old === now && !hasChanged ? [] : [{ field: `components.${name}`, old, new: hasChanged ? 'changed' : now }];
  });
}

function stateOf({ present, missing }: StoredComponents, name: string): 'known' | 'missing' | null {
  if (Object.hasOwn(present, name)) return 'known';
  return Object.hasOwn(missing, name) ? 'missing' : null;
}
