import { type GuardClient, type GuardState, LicenseGuard, LicensingError, type Store } from '../../src/index.ts';
import type { JsonObject } from '../runner/json.ts';
import { ManualTimers } from './manual-timers.ts';

// The arguments come from the cases, and the guard checks them.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Arguments = any;

/** A text between the runs of an application, which a case damages or makes unusable. */
class SimulatedStore {
  text: string | null = null;
  isFailing = false;
  /** The guards that hold the store. */
  readonly holders = new Set<string>();

  /** Returns the store as the process of one guard has it. */
  of(guard: string): Store {
    const { holders } = this;
    return {
      read: async () => this.#working().text,
      write: async (text) => {
        this.#working().text = text;
      },
      hold: async () => {
        this.#working().holders.add(guard);
        return async () => holders.delete(guard) && holders.size === 0;
      },
    };
  }

  #working(): this {
    if (this.isFailing) throw new Error('The store fails.');
    return this;
  }
}

/** A guard, and what it told its listeners since the last question. */
interface Running {
  readonly guard: LicenseGuard;
  readonly timers: ReadonlySet<unknown>;
  readonly store: SimulatedStore;
  changes: string[];
  errors: string[];
}

/**
 * The guards of one case with their clock, timers and stores: the operations `guard_…` of the driver, see
 * `conformance/README.md`. Another language implements the same operations over its own guard.
 */
export class SimulatedGuards {
  readonly #clock = new ManualTimers();
  readonly #guards = new Map<string, Running>();
  readonly #stores = new Map<string, SimulatedStore>();

  /** Performs one operation. Rejects with the error of the guard. `client` is the one of the case. */
  async perform(operation: string, given: Arguments, client: GuardClient): Promise<unknown> {
    if (operation === 'guard_create') return this.#create(given, client);
    if (operation === 'guard_time') return this.#setTime(given);
    if (operation === 'guard_store') return this.#changeStore(given);
    if (operation === 'guard_next_timer') return { due_ms: this.#clock.nextDueMs };
    if (operation === 'guard_fire') return await this.#clock.fireNext();
    const running = this.#running(given.guard);
    if (operation === 'guard_kill') return this.#kill(given.guard, running);
    if (operation === 'guard_state') return observe(running, given.has ?? []);
    return await call(running.guard, operation, given);
  }

  #create({ guard: name, store: storeName, options }: Arguments, client: GuardClient): void {
    const timers = new Set<unknown>();
    const store = this.#store(storeName);
    const guard = new LicenseGuard({
      ...{ client, store: store.of(name), now: this.#clock.wallMs, monotonicNow: this.#clock.monotonicMs },
      ...{ random: () => 0.5, timers: this.#clock.ownedBy(timers) },
      ...options,
    });
    const running: Running = { guard, timers, store, changes: [], errors: [] };
    guard.on('change', ({ status, reason }) => running.changes.push(`${status} ${reason}`));
    guard.on('error', ({ code }) => running.errors.push(code));
    this.#guards.set(name, running);
  }

  #running(name: string): Running {
    const running = this.#guards.get(name);
    if (running === undefined) throw new Error(`There is no guard "${name}".`);
    return running;
  }

  #kill(name: string, { timers, store }: Running): void {
    store.holders.delete(name);
    for (const timer of timers) this.#clock.clearTimeout(timer);
    this.#guards.delete(name);
  }

  #setTime({ realMs, aheadMs }: { readonly realMs: number; readonly aheadMs: number }): void {
    this.#clock.realMs = realMs;
    this.#clock.skewMs = aheadMs;
  }

  #changeStore({ store: name, ...change }: Arguments): void {
    const store = this.#store(name);
    if (change.isFailing !== undefined) store.isFailing = change.isFailing;
    if (change.text !== undefined) store.text = change.text;
  }

  #store(name: string): SimulatedStore {
    const store = this.#stores.get(name) ?? new SimulatedStore();
    this.#stores.set(name, store);
    return store;
  }
}

async function call(guard: LicenseGuard, operation: string, given: Arguments): Promise<unknown> {
  if (operation === 'guard_start') return { status: await start(guard, given) };
  if (operation === 'guard_stop') return void (await guard.stop());
  // Calls that come while a check runs share it.
  if (operation === 'guard_refresh') return void (await Promise.all(repeated(given.calls ?? 1, () => guard.refresh())));
  if (operation === 'guard_activate') return void (await guard.activate(given.licenseKey));
  if (operation === 'guard_start_trial') return { status: (await guard.startTrial(given)).status };
  if (operation === 'guard_check_for_update') {
    const { release, newest, code } = await guard.checkForUpdate(given);
    return { release: release?.version ?? null, newest: newest?.version ?? null, code };
  }
  if (operation === 'guard_confirm_trial') return void (await guard.confirmTrial(given.code));
  if (operation === 'guard_import_certificate') return void (await guard.importCertificate(given.file));
  if (operation === 'guard_release_device') return void (await guard.releaseDevice(given.id));
  if (operation === 'guard_devices') return { devices: (await guard.devices()).map(({ id }) => id) };
  if (operation === 'guard_request_file') return JSON.parse(await guard.requestFile());
  throw new LicensingError({ code: 'DRIVER.UNKNOWN', message: `There is no operation ${operation}.` });
}

/** Returns the status that a start returned, after the check behind it has ended. */
async function start(guard: LicenseGuard, { fresh }: Arguments): Promise<string> {
  const { status, reason } = await guard.start({ fresh });
  // The check still runs, and this call shares it.
  if (reason === 'GUARD.CHECKING') await guard.refresh();
  return status;
}

function repeated<Result>(times: number, make: () => Result): Result[] {
  return Array.from({ length: times }, make);
}

function observe(running: Running, codes: readonly string[]): JsonObject {
  const { guard, changes, errors } = running;
  running.changes = [];
  running.errors = [];
  return { ...stateOf(guard.state), has: codes.filter((code) => guard.has(code)), changes, errors };
}

function stateOf({ status, reason, until, checkedAt, entitlements, license }: GuardState): JsonObject {
  return {
    ...{ status, reason, until_ms: until?.getTime() ?? null, checked_at_ms: checkedAt?.getTime() ?? null },
    entitlements: entitlements.map(({ code }) => code),
    license: license && {
      expires_at: license.expiresAt,
      maintenance_expires_at: license.maintenanceExpiresAt,
      holder_name: license.holder?.name ?? null,
      max_activations: license.maxActivations,
    },
  };
}
