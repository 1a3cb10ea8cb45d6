import { setTimeout as delay } from 'node:timers/promises';
import { toTimestamp } from '../../../lib/clock.ts';
import { isSamePlacement, type Placement } from '../../../tenancy/placement.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { type PlacedTenant, setPlacement } from './archive-queries.ts';
import { assertNotMoving, type MoveEndServices } from './move-end-service.ts';
import { changeMove } from './move-queries.ts';
import { lockTenant } from './queries.ts';
import { tenantNotFound } from './service.ts';

/** The lease of a move. When a mover crashes, the tenant is writable again after this time. */
const leaseMs = 30_000;
const renewEveryMs = 5_000;
/** The wait after the pause in which nearly all requests in flight end; the others wait for the database's lock. */
const drainMs = 100;

/** The part of a move that is in the tenant's row: only the process whose id is there may switch the placement. */
export class MoveClaim {
  readonly id: string;
  readonly #services: MoveEndServices;
  readonly #tenant: PlacedTenant;
  #isPaused = false;

  constructor(services: MoveEndServices, tenant: PlacedTenant, id: string) {
    this.#services = services;
    this.#tenant = tenant;
    this.id = id;
  }

  /** Claims the tenant and renews the lease until the returned function is called. Writes continue. */
  async begin(): Promise<() => void> {
    const { platform, clock } = this.#services;
    await platform.transaction(async (tx) => {
      const row = await lockTenant(tx, this.#tenant.id);
      if (row === undefined) throw tenantNotFound();
      assertNotMoving(row, clock);
      if (row.move_id !== null || !isSamePlacement(row, this.#tenant)) throw interrupted();
      await changeMove(tx, this.#tenant.id, null, this.#state());
    });
    const renewal = setInterval(() => void this.renew().catch(() => undefined), renewEveryMs);
    return () => clearInterval(renewal);
  }

  /** Renews the lease. Returns false if another command has ended this move. */
  async renew(): Promise<boolean> {
    return await changeMove(this.#services.platform.query, this.#tenant.id, this.id, this.#state());
  }

  /** Throws if another command has ended this move. */
  async assertHeld(): Promise<void> {
    if (!(await this.renew())) throw interrupted();
  }

  /** Makes every surface refuse writes from now on, and waits for the requests in flight. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.assertHeld();
    await delay(drainMs);
  }

  /** Ends the pause; the claim remains. */
  async resume(): Promise<void> {
    this.#isPaused = false;
    await this.assertHeld();
  }

  /** Makes all requests use the other database, which ends the pause and the claim. */
  async switchTo(target: Placement, actor: Actor): Promise<void> {
    const { platform, clock } = this.#services;
    await platform.transaction(async (tx) => {
      const row = await lockTenant(tx, this.#tenant.id);
      if (row?.move_id !== this.id || !isSamePlacement(row, this.#tenant)) throw interrupted();
      const at = clock.now();
      await setPlacement(tx, target, at);
      const changes = [{ field: 'placement', old: this.#tenant.placement, new: target.placement }];
      const entry = { event: 'TENANT.MOVED', resourceType: 'tenant', resourceId: this.#tenant.id, changes, at };
      await recordPlatformAudit(tx, actor, entry);
    });
  }

  #state() {
    const leaseEnd = toTimestamp(this.#services.clock.nowMs() + leaseMs);
    return { move_id: this.id, move_expires_at: leaseEnd, writes_paused_until: this.#isPaused ? leaseEnd : null };
  }
}

function interrupted(): Error {
  return new Error('Another command changed the placement of the tenant. Nothing was moved. Run the command again.');
}
