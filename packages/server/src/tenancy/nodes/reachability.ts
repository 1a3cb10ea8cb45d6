import { DatabaseUnavailableError } from '../../db/errors.ts';
import type { LiveNode } from './queries.ts';

/** Returns the running nodes that could not open a tenant at the place. */
export function nodesWithout(place: string, nodes: readonly LiveNode[]): readonly LiveNode[] {
  return nodes.filter(({ places }) => !places.has(place));
}

/**
 * Throws if a running node could not open a tenant at the place, because its configuration lacks the server. Requests
 * for such a tenant would fail on that node.
 */
export function assertReachable(place: string, nodes: readonly LiveNode[]): void {
  const lacking = nodesWithout(place, nodes);
  if (lacking.length === 0) return;
  const [names, lacks] = [
    lacking.map(({ name }) => name).join(', '),
    lacking.length === 1 ? 'That node does' : 'Those nodes do',
  ];
  throw new DatabaseUnavailableError(
    `No tenant can be placed on ${place}, because ${names} cannot open it there. ${lacks} not have the server in ` +
      'TENANT_DATABASE_URLS: add it there, restart, and run this again. A node that was killed is forgotten after a ' +
      'minute. Nothing was changed.',
  );
}
