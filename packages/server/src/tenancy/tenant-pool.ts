import type { TenantDb } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/error.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { isSamePlacement, type Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';
import { assertWritable, type TenantRecord } from './tenant-record.ts';

/** An open tenant database and how many requests use it at the moment. */
export interface OpenTenant {
  readonly db: TenantDb;
  /** Where the database is: a tenant whose row names another one is opened anew. */
  readonly placement: Placement;
  references: number;
}

type PlacedRecord = Placement & Pick<TenantRecord, 'writes_paused_until'>;

interface TenantPoolOptions {
  readonly databases: TenantDatabases;
  /** How many databases stay open. More are open only while that many are in use at the same time. */
  readonly capacity: number;
  readonly findRecord: (tenantId: string) => MaybePromise<PlacedRecord | undefined>;
  readonly clock: Clock;
  readonly onCloseError: (error: unknown, tenantId: string) => void;
}

/** Keeps tenant databases open: least recently used first out, and never one that is in use. */
export class TenantPool {
  readonly #options: TenantPoolOptions;
  /** In order of use: a tenant moves to the end whenever it is acquired. */
  readonly #open = new Map<string, OpenTenant>();
  readonly #opening = new Map<string, Promise<OpenTenant>>();
  readonly #closing = new Set<Promise<void>>();
  #closed = false;

  constructor(options: TenantPoolOptions) {
    this.#options = options;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Opens a tenant's database or takes the open one. Every `acquire` is paired with one `release`. */
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

  release(tenant: OpenTenant): void {
    tenant.references -= 1;
    if (this.#open.get(tenant.placement.id) !== tenant) this.#closeUnused(tenant);
    else if (this.#open.size > this.#options.capacity || this.#closed) this.#evict();
  }

  /**
   * Runs `work` on a tenant's database, whatever the tenant's state. For background work and operators' commands.
   * Throws a `TenantMovingError` while the tenant's writers are held off.
   */
  async withTenantDb<Result>(tenantId: string, work: (db: TenantDb) => Promise<Result>): Promise<Result> {
    const record = await this.#findRecord(tenantId);
    assertWritable(record, this.#options.clock.now());
    return await this.#withPlaced(record, work);
  }

  /** Like `withTenantDb`, for work that as a rule only reads: it goes on while the tenant's writers are held off. */
  async readTenantDb<Result>(tenantId: string, work: (db: TenantDb) => Promise<Result>): Promise<Result> {
    return await this.#withPlaced(await this.#findRecord(tenantId), work);
  }

  async #findRecord(tenantId: string): Promise<PlacedRecord> {
    const record = await this.#options.findRecord(tenantId);
    if (record === undefined) throw new Error(`There is no tenant ${tenantId}.`);
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

  /** Closes every database, those in use as soon as they are released. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#opening.values());
    this.#evict();
    await Promise.all(this.#closing);
  }

  #acquireClosed(placement: Placement): MaybePromise<OpenTenant> {
    if (this.#closed) throw new AppError('SERVICE.UNAVAILABLE', 'The service is stopping. Send the request again.');
    const opening = this.#opening.get(placement.id);
    if (opening !== undefined) return opening.then((tenant) => this.#retain(tenant, placement));
    const opened = andThen(this.#options.databases.open(placement), (db): OpenTenant => {
      const tenant = { db, placement, references: 0 };
      this.#open.set(placement.id, tenant);
      return tenant;
    });
    if (!(opened instanceof Promise)) return this.#retain(opened, placement);
    const tracked = opened.finally(() => this.#opening.delete(placement.id));
    this.#opening.set(placement.id, tracked);
    return tracked.then((tenant) => this.#retain(tenant, placement));
  }

  /** Counts the caller in before anything can be evicted; when it was evicted in between, opens it again. */
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

  /** The tenant's rows were replaced: who uses the former database ends with it, nobody else gets it. */
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
