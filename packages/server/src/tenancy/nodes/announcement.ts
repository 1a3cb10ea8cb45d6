import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { PlatformDb } from '../../db/database.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { countTenantsByPlace, deleteNode, saveNode } from './queries.ts';

/** A node that died is forgotten after this time. */
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
  const { platform, clock, logger, places, isOnlyNode } = options;
  const id = newId();
  const node = {
    id,
    name: `node ${hostname()} (process ${process.pid})`,
    places_json: JSON.stringify(places),
    started_at: clock.now(),
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
        .then(() => deleteNode(platform, id))
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
