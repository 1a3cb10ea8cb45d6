import type { TenantDb } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { isSamePlacement, type Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';
import { assertWritable, type TenantRecord } from './tenant-record.ts';

/** An open tenant database and the number of its current users. */
export interface OpenTenant {
  readonly db: TenantDb;
  /** The placement that was opened. When the tenant's row names another placement, the pool opens that one instead. */
  readonly placement: Placement;
  references: number;
}

type PlacedRecord = Placement & Pick<TenantRecord, 'writes_paused_until'>;

interface TenantPoolOptions {
  readonly databases: TenantDatabases;
  /** The number of databases that stay open. More are open only while more than that are in use at the same time. */
  readonly capacity: number;
  readonly findRecord: (tenantId: string) => Promise<PlacedRecord | undefined>;
  readonly clock: Clock;
  readonly onCloseError: (error: unknown, tenantId: string) => void;
}

/** Keeps tenant databases open and evicts the least recently used one. A database in use is never closed. */
export class TenantPool {
  readonly #options: TenantPoolOptions;
  /** In order of use, most recently acquired last. */
  readonly #open = new Map<string, OpenTenant>();
  readonly #opening = new Map<string, Promise<OpenTenant>>();
  readonly #closing = new Set<Promise<void>>();
  #closed = false;

  constructor(options: TenantPoolOptions) {
    this.#options = options;
  }

  /** The number of open databases. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Returns the tenant's open database, opening it when needed. The caller must call `release` once per `acquire`. */
  acquire(placement: Placement): MaybePromise<OpenTenant> {
    const open = this.#open.get(placement.id);
    if (open !== undefined && !(isSamePlacement(open.placement, placement) && open.db.isIntact())) this.#retire(open);
    else if (open !== undefined) {
      this.#open.delete(placement.id);
      this.#open.set(placement.id, open);
      open.references += 1;
      return open;
    }
    return this.#acquireClosed(placement);
  }

  /** Ends one use. Closes the database when it was replaced or the pool exceeds its capacity. */
  release(tenant: OpenTenant): void {
    tenant.references -= 1;
    if (this.#open.get(tenant.placement.id) !== tenant) this.#closeUnused(tenant);
    else if (this.#open.size > this.#options.capacity || this.#closed) this.#evict();
  }

  /**
   * Runs `work` on a tenant's database regardless of the tenant's status. For background work and the operator's
   * commands. Throws a `TenantMovingError` while the tenant's writes are paused by a move.
   */
  async withTenantDb<Result>(tenantId: string, work: (db: TenantDb) => Promise<Result>): Promise<Result> {
    const record = await this.#findRecord(tenantId);
    assertWritable(record, this.#options.clock.now());
    return await this.#withPlaced(record, work);
  }

  /** Like `withTenantDb`, for work that normally only reads: it also runs while the tenant's writes are paused. */
  async readTenantDb<Result>(tenantId: string, work: (db: TenantDb) => Promise<Result>): Promise<Result> {
    return await this.#withPlaced(await this.#findRecord(tenantId), work);
  }

  async #findRecord(tenantId: string): Promise<PlacedRecord> {
    const record = await this.#options.findRecord(tenantId);
    if (record === undefined) throw new Error(`There is no tenant ${tenantId}: it may have been purged.`);
    return record;
  }

  async #withPlaced<Result>(placement: Placement, work: (db: TenantDb) => Promise<Result>): Promise<Result> {
    const tenant = await this.acquire(placement);
    try {
      return await work(tenant.db);
    } finally {
      this.release(tenant);
    }
  }

  /**
   * False if a statement in a tenant's database would take a connection from another tenant's. Work that can wait should
   * then be done for few tenants at a time.
   */
  hasConnectionAtHand(tenantId: string): boolean {
    return this.#open.get(tenantId)?.db.hasConnectionAtHand() ?? true;
  }

  /** Closes every database; a database in use is closed when it is released. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#opening.values());
    this.#evict();
    await Promise.all(this.#closing);
  }

  #acquireClosed(placement: Placement): Promise<OpenTenant> {
    if (this.#closed) throw new AppError('SERVICE.UNAVAILABLE', 'The service is stopping. Send the request again.');
    const opening = this.#opening.get(placement.id);
    if (opening !== undefined) return opening.then((tenant) => this.#retain(tenant, placement));
    const opened = this.#options.databases.open(placement).then((db): OpenTenant => {
      const tenant = { db, placement, references: 0 };
      this.#open.set(placement.id, tenant);
      return tenant;
    });
    const tracked = opened.finally(() => this.#opening.delete(placement.id));
    this.#opening.set(placement.id, tracked);
    return tracked.then((tenant) => this.#retain(tenant, placement));
  }

  /** Adds the reference before eviction can close the database. Acquires again when it was evicted in between. */
  #retain(tenant: OpenTenant, placement: Placement): MaybePromise<OpenTenant> {
    if (this.#open.get(placement.id) !== tenant || !isSamePlacement(tenant.placement, placement))
      return this.acquire(placement);
    tenant.references += 1;
    this.#evict();
    return tenant;
  }

  #evict(): void {
    const target = this.#closed ? 0 : this.#options.capacity;
    for (const [tenantId, tenant] of this.#open) {
      if (this.#open.size <= target) return;
      if (tenant.references > 0) continue;
      this.#open.delete(tenantId);
      this.#closeUnused(tenant);
    }
  }

  /** Removes a replaced database from the pool: current users finish with it, and new callers get the replacement. */
  #retire(tenant: OpenTenant): void {
    this.#open.delete(tenant.placement.id);
    this.#closeUnused(tenant);
  }

  #closeUnused({ db, placement, references }: OpenTenant): void {
    if (references > 0) return;
    const closing = db
      .close()
      .catch((error: unknown) => this.#options.onCloseError(error, placement.id))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
