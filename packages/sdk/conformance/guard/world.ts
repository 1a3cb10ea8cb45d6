import { LicensingError } from '../../src/index.ts';
import type { DriverAnswer } from '../runner/driver.ts';
import { isObject, type JsonObject } from '../runner/json.ts';
import { audience, componentsOf, FakeService, issuer, jwks, licenseKey } from './fake-service.ts';
import type { GuardOptions, GuardStep, ServiceSettings } from './steps.ts';

/** Performs one operation with the guards of a program. */
export type PerformOperation = (operation: string, given: JsonObject) => Promise<DriverAnswer>;

/** What is seen after a step. */
export interface Observation {
  /** The state of each guard, by its name. */
  readonly guards: JsonObject;
  /** The requests of the step, in their order. */
  readonly requests: readonly string[];
  /** What the step returned, if it returns something. */
  readonly result?: unknown;
  /** The status that a start returned, if it is another one than after the step: the check behind it ended later. */
  readonly returned?: string | null;
  /** The code of the error of the step. */
  readonly error?: unknown;
}

type StepOf<Name extends GuardStep['step']> = Extract<GuardStep, { readonly step: Name }>;

/** A machine, its application and the licensing service, in which the steps of a case happen. */
export class GuardWorld {
  realMs = Date.parse('2026-11-20T12:00:00Z');
  aheadMs = 0;
  readonly service: FakeService;
  readonly #perform: PerformOperation;
  readonly #created = new Map<string, StepOf<'create'>>();
  #certificateFile = '';

  constructor(perform: PerformOperation, settings: ServiceSettings = {}) {
    this.#perform = perform;
    this.service = new FakeService(() => this.realMs);
    this.service.demandsComponents = true;
    this.#setUp(settings);
  }

  /** Plays one step. Returns the state of every guard after it, the requests of the step, and what it returned. */
  async play(step: GuardStep): Promise<Observation> {
    const earlier = this.service.calls.length;
    const { result, error } = await this.#act(step);
    const requests = this.service.calls.slice(earlier);
    const guards: [string, JsonObject][] = [];
    for (const name of this.#created.keys()) {
      const answer = await this.#ask('guard_state', { guard: name, has: [...this.service.entitlements] });
      if (isObject(answer.result)) guards.push([name, answer.result]);
    }
    const states = Object.fromEntries(guards);
    const isStart = step.step === 'start' || step.step === 'restart';
    return {
      guards: states,
      requests,
      ...(isStart ? returnedBy(result, states[step.guard ?? 'first']) : isObject(result) && { result }),
      ...(error !== undefined && { error: isObject(error) ? (error['code'] ?? null) : error }),
    };
  }

  async #act(step: GuardStep): Promise<DriverAnswer> {
    const { guard = 'first' } = step;
    switch (step.step) {
      case 'create':
        return await this.#create({ ...step, guard });
      case 'kill':
        this.#created.delete(guard);
        return await this.#ask('guard_kill', { guard });
      case 'restart':
        return await this.#restart(guard);
      case 'time_passes':
        return await this.#pass(step.seconds * 1000);
      case 'clock_is_set':
        this.aheadMs = step.ahead_seconds * 1000;
        return await this.#setTime();
      case 'store_fails':
      case 'store_works':
        return await this.#ask('guard_store', { store: 'disk', is_failing: step.step === 'store_fails' });
      case 'store_contains':
        return await this.#ask('guard_store', { store: 'disk', text: step.text });
      case 'certificate_file_is_downloaded':
        this.#certificateFile = await this.#file('machine-1', licenseKey);
        return {};
      case 'import_certificate':
        return await this.#import(guard, step);
      default:
        return await this.#serviceStep(step, guard);
    }
  }

  /** A step that changes the service, or that is a call of the guard. */
  async #serviceStep(step: GuardStep, guard: string): Promise<DriverAnswer> {
    const { service } = this;
    switch (step.step) {
      case 'network_fails':
        service.callsLeft = step.after_calls ?? 0;
        break;
      case 'network_works':
        service.callsLeft = null;
        break;
      case 'service_fails':
        service.failure = { status: step.status, code: step.code };
        break;
      case 'service_works':
        service.failure = null;
        break;
      case 'answers_are_forged':
      case 'answers_are_genuine':
        service.isForged = step.step === 'answers_are_forged';
        break;
      case 'license_is':
        service.code = step.code;
        break;
      case 'service_has':
        this.#setUp(step.settings);
        break;
      case 'seats_are_freed':
        service.freeSeats();
        break;
      case 'another_machine_takes_the_seat':
        await this.#takeSeat();
        break;
      default: {
        const { step: name, guard: _guard, ...given } = step;
        return await this.#ask(`guard_${name}`, { guard, ...(given as JsonObject) });
      }
    }
    return {};
  }

  async #create(step: StepOf<'create'> & { readonly guard: string }): Promise<DriverAnswer> {
    const { guard, options = {}, store = 'disk' } = step;
    if (this.#created.size === 0) await this.#setTime();
    const answer = await this.#ask('guard_create', { guard, store, options: optionsOf(options) });
    if (answer.error === undefined) this.#created.set(guard, step);
    return answer;
  }

  async #restart(guard: string): Promise<DriverAnswer> {
    const step = this.#created.get(guard);
    if (step === undefined) throw new Error(`The case restarts the guard "${guard}" before it creates it.`);
    await this.#ask('guard_kill', { guard });
    await this.#create({ ...step, guard });
    return await this.#ask('guard_start', { guard });
  }

  /** Lets time pass, and fires each timer when it is due, so that the service has the same time. */
  async #pass(durationMs: number): Promise<DriverAnswer> {
    const endMs = this.realMs + durationMs;
    for (;;) {
      const { result } = await this.#ask('guard_next_timer', {});
      const dueMs = isObject(result) ? result['due_ms'] : null;
      if (typeof dueMs !== 'number' || dueMs > endMs) break;
      this.realMs = Math.max(this.realMs, dueMs);
      await this.#setTime();
      await this.#ask('guard_fire', {});
    }
    this.realMs = endMs;
    return await this.#setTime();
  }

  #setTime(): Promise<DriverAnswer> {
    return this.#ask('guard_time', { real_ms: this.realMs, ahead_ms: this.aheadMs });
  }

  #ask(operation: string, given: JsonObject): Promise<DriverAnswer> {
    return this.#perform(operation, given);
  }

  async #import(guard: string, { of }: StepOf<'import_certificate'>): Promise<DriverAnswer> {
    let file = this.#certificateFile;
    if (of === 'nothing') file = 'This is no certificate file.';
    if (of === 'machine-2') file = await this.#file('machine-2', licenseKey);
    if (of === 'another license key') file = await this.#file('machine-1', 'OTHER-FGHIJ-KLMNP');
    return await this.#ask('guard_import_certificate', { guard, file });
  }

  /** Downloads a certificate file in the portal, which a guard without a network does not notice. */
  async #file(fingerprint: string, key: string): Promise<string> {
    const { service } = this;
    const { callsLeft } = service;
    const heard = service.calls.length;
    service.callsLeft = null;
    const machine = { fingerprint, components: componentsOf(fingerprint) };
    await service.activate(key, machine);
    const { certificate, expiresAt } = await service.issueCertificate(key, machine);
    service.callsLeft = callsLeft;
    service.calls.length = heard;
    const format = 'licensing-offline-certificate-v1';
    return JSON.stringify({ format, product: 'editor', license_key: key, certificate, expires_at: expiresAt });
  }

  async #takeSeat(): Promise<void> {
    const { service } = this;
    const { callsLeft } = service;
    const heard = service.calls.length;
    service.callsLeft = null;
    service.freeSeats();
    // A license that is not usable refuses the other machine too.
    const machine = { fingerprint: 'machine-2', components: componentsOf('machine-2') };
    await service.activate(licenseKey, machine).catch(ignoreRefusal);
    service.callsLeft = callsLeft;
    service.calls.length = heard;
  }

  #setUp(settings: ServiceSettings): void {
    const { service } = this;
    if (settings.seats !== undefined) service.seats = settings.seats;
    if (settings.lease_ms !== undefined) service.leaseMs = settings.lease_ms;
    if (settings.requires_activation !== undefined) service.requiresActivation = settings.requires_activation;
    if (settings.requires_email !== undefined) service.requiresEmail = settings.requires_email;
    if (settings.certificate_seconds !== undefined) service.ttlSeconds = settings.certificate_seconds;
    if (settings.entitlements !== undefined) service.entitlements = [...settings.entitlements];
    if (settings.holder_name !== undefined) service.holderName = settings.holder_name;
    if (settings.expires_at !== undefined) service.expiresAt = settings.expires_at;
    if (settings.maintenance_expires_at !== undefined) service.maintenanceExpiresAt = settings.maintenance_expires_at;
  }
}

/** Returns the status that a start returned, unless the guard has it now. */
function returnedBy(result: unknown, state: unknown): Pick<Observation, 'returned'> {
  const status = isObject(result) ? result['status'] : null;
  return isObject(state) && state['status'] === status ? {} : { returned: typeof status === 'string' ? status : null };
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof LicensingError)) throw error;
}

function optionsOf({ is_signed = true, fingerprint = 'machine-1', product = 'editor', ...others }: GuardOptions) {
  return {
    license_key: licenseKey,
    // The keys are JSON; their type is an interface, which has no index signature.
    ...(is_signed ? { jwks: jwks as unknown as JsonObject, issuer, audience } : { unsigned: true }),
    ...others,
    ...(fingerprint !== null && { fingerprint }),
    // They go with a fingerprint only.
    components: { ...componentsOf(fingerprint ?? '') },
    ...(product !== null && { product }),
  };
}
