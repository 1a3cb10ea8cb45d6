import type { PlatformDb } from '../../db/database.ts';
import { isMissingTable } from '../../db/errors.ts';
import type { NodesTable } from '../../db/tables/platform/nodes.ts';

/** A running node, and the places whose tenants it can open. */
export interface LiveNode {
  /** Its machine and process. */
  readonly name: string;
  /** `embedded`, and the `host:port` of each server in its configuration. */
  readonly places: ReadonlySet<string>;
}

/** Inserts or renews a node's row, and deletes the rows of nodes that died before `diedBefore`. */
export async function saveNode(platform: PlatformDb, node: NodesTable, diedBefore: string): Promise<void> {
  const { id, expires_at } = node;
  await platform.query
    .insertInto('nodes')
    .values(node)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ expires_at }))
    .execute();
  await platform.query.deleteFrom('nodes').where('expires_at', '<', diedBefore).where('id', '!=', id).execute();
}

/** Deletes the row of a node that stops. */
export async function deleteNode(platform: PlatformDb, id: string): Promise<void> {
  await platform.query.deleteFrom('nodes').where('id', '=', id).execute();
}

/** Lists the nodes that run now, by name. A database from before the table has none. */
export async function listLiveNodes(platform: PlatformDb, now: string): Promise<LiveNode[]> {
  try {
    const rows = await platform.query
      .selectFrom('nodes')
      .select(['name', 'places_json'])
      .where('expires_at', '>=', now)
      .orderBy('name')
      .execute();
    return rows.map(({ name, places_json }) => ({ name, places: new Set<string>(JSON.parse(places_json)) }));
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

/** Returns the number of tenants that are not closed, by place. */
export async function countTenantsByPlace(platform: PlatformDb): Promise<ReadonlyMap<string, number>> {
  const rows = await platform.query
    .selectFrom('tenants')
    .select(({ fn }) => ['placement', fn.countAll<number>().as('tenants')])
    .where('status', '!=', 'closed')
    .groupBy('placement')
    .execute();
  return new Map(rows.map(({ placement, tenants }) => [placement, tenants]));
}
