import type { PlatformDb } from '../../db/database.ts';
import { countTenantsByPlace, type LiveNode, listLiveNodes } from '../../tenancy/nodes/queries.ts';
import { nodesWithout } from '../../tenancy/nodes/reachability.ts';
import { type Finding, ok, problem } from './finding.ts';

/** Reports the running nodes, and each server that holds tenants and that a node or this configuration lacks. */
export async function* checkNodes(
  platform: PlatformDb,
  places: readonly string[],
  now: string,
): AsyncGenerator<Finding> {
  const nodes = await listLiveNodes(platform, now);
  const names = nodes.map(({ name }) => name).join(', ');
  yield ok(nodes.length === 0 ? 'No node has announced itself' : `Running nodes: ${names}`);
  const here: LiveNode = { name: 'This configuration', places: new Set(places) };
  for (const [place, tenants] of await countTenantsByPlace(platform)) {
    for (const { name } of nodesWithout(place, [here, ...nodes])) {
      yield problem(
        `${name} does not have the server ${place}, which holds ${tenants} tenants.`,
        'Add it to TENANT_DATABASE_URLS there, and restart the node.',
      );
    }
  }
}
