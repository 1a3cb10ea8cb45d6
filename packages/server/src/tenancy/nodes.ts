import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { PlatformDb } from '../db/database.ts';
import { DatabaseUnavailableError, isMissingTable } from '../db/errors.ts';
import { deleteRows } from '../db/rows.ts';
import type { NodesTable } from '../db/tables/platform/installation.ts';
import { type Clock, type Timestamp, toEpochMs, toTimestamp } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Keyring } from '../lib/keyring.ts';

/** A dead node no longer counts after this time. */
const silenceMs = 60_000;
const renewEveryMs = 20_000;
/** A database that does not respond must not delay the stop of the process. */
const withdrawWithinMs = 2_000;

interface AnnouncementOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly logger: Logger;
  /** True on the embedded engine, where only one node serves: the rows of all others are of dead nodes. */
  readonly isOnlyNode: boolean;
  /** The places whose tenants this node can open. */
  readonly places: readonly string[];
  readonly keyring: Pick<Keyring, 'fingerprint'>;
}

/** The announcement of a running node in the platform database. */
export interface NodeAnnouncement {
  /** Withdraws it. Resolves even if the database is unavailable; then the announcement expires. */
  withdraw(): Promise<void>;
}

/**
 * Announces that this node runs and which places it can reach, so that no command places a tenant where the node cannot
 * open it. Logs a warning for each server that holds tenants and is not among the places.
 */
export async function announceNode(options: AnnouncementOptions): Promise<NodeAnnouncement> {
  const { platform, clock, logger, places, isOnlyNode, keyring } = options;
  const id = newId();
  const node = {
    id,
    name: `node ${hostname()} (process ${process.pid})`,
    places_json: JSON.stringify(places),
    started_at: clock.now(),
    app_key_fingerprint: keyring.fingerprint,
  };
  const save = () => {
    const expiresAt = toTimestamp(clock.nowMs() + silenceMs);
    return saveNode(platform, { ...node, expires_at: expiresAt }, isOnlyNode ? expiresAt : clock.now());
  };
  await save();
  await warnOfUnreachable(options);
  let saving: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    saving = save().catch((error: unknown) => {
      logger.warn({ err: error }, `announcing this node failed; retrying in ${renewEveryMs / 1000} s`);
    });
  }, renewEveryMs);
  timer.unref();
  return {
    async withdraw() {
      clearInterval(timer);
      const withdrawn = saving
        .then(() => deleteRows(platform.query, 'nodes', id))
        .catch((error: unknown) => {
          logger.warn({ err: error }, `withdrawing this node failed; it is forgotten in ${silenceMs / 1000} s`);
        });
      await Promise.race([withdrawn, delay(withdrawWithinMs, undefined, { ref: false })]);
    },
  };
}

async function warnOfUnreachable({ platform, logger, places }: AnnouncementOptions): Promise<void> {
  for (const [place, tenants] of await countTenantsByPlace(platform)) {
    if (places.includes(place)) continue;
    logger.warn(
      `${tenants} tenants are on ${place}, which this node cannot reach: add the server to TENANT_DATABASE_URLS and restart. Until then their requests fail with 503.`,
    );
  }
}

/** A running node, and the places whose tenants it can open. */
export interface LiveNode {
  /** Its machine and process. */
  readonly name: string;
  /** `embedded`, and the `host:port` of each server in its configuration. */
  readonly places: ReadonlySet<string>;
  /** When it last announced itself, by its own clock. */
  readonly announcedAt: Timestamp;
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

/** Lists the nodes that run now, by name. Returns an empty list for a database that does not have the table yet. */
export async function listLiveNodes(platform: PlatformDb, now: string): Promise<LiveNode[]> {
  try {
    const rows = await platform.query
      .selectFrom('nodes')
      .select(['name', 'places_json', 'expires_at'])
      .where('expires_at', '>=', now)
      .orderBy('name')
      .execute();
    return rows.map(({ name, places_json, expires_at }) => {
      const announcedAt = toTimestamp(toEpochMs(expires_at) - silenceMs);
      return { name, places: new Set<string>(JSON.parse(places_json)), announcedAt };
    });
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

/** Returns the names of the running nodes that seal secrets under another application key. */
export async function listNodesWithAnotherKey(
  platform: PlatformDb,
  fingerprint: string,
  now: string,
): Promise<string[]> {
  const rows = await platform.query
    .selectFrom('nodes')
    .select('name')
    .where('expires_at', '>=', now)
    .where('app_key_fingerprint', '!=', fingerprint)
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
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

/** Returns the running nodes that could not open a tenant at the place. */
export function nodesWithout<Node extends Pick<LiveNode, 'name' | 'places'>>(
  place: string,
  nodes: readonly Node[],
): readonly Node[] {
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
