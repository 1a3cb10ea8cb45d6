import type { PlatformDb } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { assertReachable, countTenantsByPlace, listLiveNodes, nodesWithout } from './nodes.ts';

/** How long a server that failed receives no new tenants, while another server is available. */
const avoidedForMs = 30_000;

interface ServerChoiceOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  /** `host:port` of each server, as in placements. */
  readonly servers: readonly string[];
  /** Rejects when a server accepts no connection. */
  readonly probe: (server: string) => Promise<void>;
}

/** Selects the server for the next tenant's database. */
export interface ServerChoice {
  /**
   * Returns the reachable server with the fewest tenants; when no server is reachable, the server with the fewest
   * tenants. Servers that a running node cannot reach are excluded; throws if no other is left. `unnamed` holds, by server, the number of databases that no tenant's row refers to yet; they count too.
   */
  choose(unnamed?: ReadonlyMap<string, number>): Promise<string>;
  /** Excludes a server from the selection for 30 s, as long as another server is available. */
  avoid(server: string): void;
}

/** Creates the selection among the servers of an installation. A single server is returned without a probe. */
export function createServerChoice({ platform, clock, servers, probe }: ServerChoiceOptions): ServerChoice {
  const avoidedUntilMs = new Map<string, number>();
  const avoid = (server: string) => void avoidedUntilMs.set(server, clock.nowMs() + avoidedForMs);
  const isAvoided = (server: string) => (avoidedUntilMs.get(server) ?? 0) > clock.nowMs();

  async function isReachable(server: string): Promise<boolean> {
    if (isAvoided(server)) return false;
    try {
      await probe(server);
      return true;
    } catch {
      avoid(server);
      return false;
    }
  }

  return {
    avoid,
    async choose(unnamed = new Map()) {
      const [first] = servers;
      if (first === undefined)
        throw new Error('TENANT_DATABASE_URLS lists no server: add at least one PostgreSQL URL.');
      const nodes = await listLiveNodes(platform, clock.now());
      const shared = servers.filter((server) => nodesWithout(server, nodes).length === 0);
      const [only] = shared;
      if (only === undefined) assertReachable(first, nodes);
      if (only !== undefined && shared.length === 1) return only;
      const byLoad = await sortByLoad(platform, shared, unnamed);
      for (const server of byLoad) if (await isReachable(server)) return server;
      return byLoad[0] ?? first;
    },
  };
}

async function sortByLoad(
  platform: PlatformDb,
  servers: readonly string[],
  unnamed: ReadonlyMap<string, number>,
): Promise<string[]> {
  const load = await countTenantsByPlace(platform);
  const loadOf = (server: string) => (load.get(server) ?? 0) + (unnamed.get(server) ?? 0);
  return [...servers].sort((left, right) => loadOf(left) - loadOf(right));
}
