/** The groups of `features/`, highest first. A group may import only itself and the groups after it. */
export const featureGroups = [
  'operations',
  'commerce',
  'sales',
  'holders',
  'releases',
  'accounts',
  'licensing',
  'webhooks',
  'tenant-core',
] as const;

const featureFile = /^features\/([^/]+)\/([^/]+)\//;

/** Returns `licensing` for `features/licensing/licenses/import/service.ts`; undefined outside `features/`. */
export function groupOf(path: string): string | undefined {
  return featureFile.exec(path)?.[1];
}

/** Returns `licensing/licenses` for `features/licensing/licenses/import/service.ts`; undefined outside `features/`. */
export function featureOf(path: string): string | undefined {
  const [, group, feature] = featureFile.exec(path) ?? [];
  return group === undefined ? undefined : `${group}/${feature}`;
}

/** Returns true if a file of a lower group imports a file of a higher one. */
export function pointsUpward(from: string, to: string): boolean {
  const levels: readonly string[] = featureGroups;
  const [fromLevel, toLevel] = [from, to].map((path) => levels.indexOf(groupOf(path) ?? ''));
  return fromLevel !== undefined && toLevel !== undefined && toLevel !== -1 && fromLevel > toLevel;
}
