import type { PlatformDb } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';

/** For how long a server that refused is passed over. */
const avoidedForMs = 30_000;

interface ServerChoiceOptions {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  /** Names, as placements have them. */
  readonly servers: readonly string[];
  /** Rejects when a server takes no connection. */
  readonly probe: (server: string) => Promise<void>;
}

/** Which server gets the next tenant's database. */
export interface ServerChoice {
  /**
   * The server that holds the fewest tenants among those that answer; when none answers, the one with the fewest.
   * `unnamed`: databases on a server that no tenant's row names yet.
   */
  choose(unnamed?: ReadonlyMap<string, number>): Promise<string>;
  /** Passes a server over for half a minute, where there is another. */
  avoid(server: string): void;
}

/** Makes the choice among the servers of an installation. A single one is never asked. */
export function createServerChoice({ platform, clock, servers, probe }: ServerChoiceOptions): ServerChoice {
  const avoidedUntilMs = new Map<string, number>();
  const avoid = (server: string) => void avoidedUntilMs.set(server, clock.nowMs() + avoidedForMs);
  const isAvoided = (server: string) => (avoidedUntilMs.get(server) ?? 0) > clock.nowMs();

  async function answers(server: string): Promise<boolean> {
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
      const [only] = servers;
      if (only === undefined) throw new Error('TENANT_DATABASE_URLS names no server: add one.');
      if (servers.length === 1) return only;
      const byLoad = await sortByLoad(platform, servers, unnamed);
      for (const server of byLoad) if (await answers(server)) return server;
      return byLoad[0] ?? only;
    },
  };
}

async function sortByLoad(
  platform: PlatformDb,
  servers: readonly string[],
  unnamed: ReadonlyMap<string, number>,
): Promise<string[]> {
  const rows = await platform.query
    .selectFrom('tenants')
    .select(({ fn }) => ['placement', fn.countAll<number>().as('tenants')])
    .where('status', '!=', 'closed')
    .groupBy('placement')
    .execute();
  const load = new Map(rows.map((row) => [row.placement, row.tenants]));
  const loadOf = (server: string) => (load.get(server) ?? 0) + (unnamed.get(server) ?? 0);
  return [...servers].sort((left, right) => loadOf(left) - loadOf(right));
}
