import type { LicensedDevice, PendingTrial, Trial } from '../api-types.ts';
import type { CertificateVerdict } from '../certificate.ts';
import { LicensingError, wrapped } from '../error.ts';
import { Listeners } from '../listeners.ts';
import { offlineRequest } from '../offline-files.ts';
import { runtimeTimers } from '../timers.ts';
import { decide, GuardCertificates } from './certificates.ts';
import { GuardClock } from './clock.ts';
import { consult, freeSeat, seatOf } from './consult.ts';
import { type Machine, machineOf } from './machine.ts';
import { denialFor, GuardMemory, releaseMs } from './memory.ts';
import { assertGuardOptions, type LicenseGuardOptions, type StartOptions } from './options.ts';
import { checkDelayMs, type Due, defaultCheckIntervalMs, nextTick } from './schedule.ts';
import { type Findings, type GuardState, isChange, isGranted, judge, type Reason } from './state.ts';
import { askForTrial, assertUsable, confirmTrial, type TrialUser } from './trial.ts';
import { findUpdate, type UpdateCheck, type UpdateQuestion } from './update.ts';

/** The events of a guard. */
export interface GuardEvents {
  /** The status, its reason, the entitlements or the details of the license changed. */
  change: GuardState;
  /** The store failed. The guard goes on, but may not start offline next time. */
  error: LicensingError;
}

/**
 * Decides whether an application may be used, and keeps that decision up to date: it takes a seat, validates in the
 * background, continues offline with the last certificate, and sends heartbeats for a floating license.
 *
 * A refusal of the service counts at once and until the service says otherwise. A failure (no network, 5xx, a proof that
 * does not verify) never ends the right to use the application while a certificate runs. Only `devices`,
 * `releaseDevice`, `startTrial`, `confirmTrial` and `activate` reject, and only the constructor throws: `CONFIGURATION.INVALID`, for a mistake of the programmer.
 */
export class LicenseGuard {
  readonly #options: LicenseGuardOptions;
  readonly #clock: GuardClock;
  readonly #memory: GuardMemory;
  readonly #certificates: GuardCertificates;
  readonly #listeners = new Listeners<GuardEvents>();
  readonly #machine: () => Promise<Machine>;
  #abort = new AbortController();
  #state: GuardState;
  /** The state that the listeners know. */
  #published: GuardState;
  #answer: Findings['answer'] = null;
  #failure: Reason | null = null;
  #certified: CertificateVerdict | null = null;
  #checking: Promise<GuardState> | undefined;
  #beating: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #isRunning = false;
  #timer: unknown;
  #failedChecks = 0;
  #untilCheckMs = 0;

  constructor(options: LicenseGuardOptions) {
    assertGuardOptions(options);
    const { now = Date.now, monotonicNow = () => performance.now(), clockToleranceMs = 300_000 } = options;
    this.#options = options;
    this.#clock = new GuardClock(now, monotonicNow, clockToleranceMs);
    this.#memory = new GuardMemory(options.store, this.#clock, options.licenseKey, (error) =>
      this.#listeners.emit('error', error),
    );
    this.#machine = machineOf(options);
    this.#certificates = new GuardCertificates(options, this.#clock, this.#memory, this.#machine);
    this.#state = this.#judge();
    this.#published = this.#state;
  }

  /** What the guard knows now. */
  get state(): GuardState {
    return this.#state;
  }

  /** Returns whether the application may be used and the license grants an entitlement. */
  has(entitlement: string): boolean {
    return isGranted(this.#state, entitlement, this.#clock.read().nowMs);
  }

  /** Adds a listener, and returns the function that removes it. A listener that throws stops nothing. */
  on<Name extends keyof GuardEvents>(event: Name, listener: (value: GuardEvents[Name]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  /**
   * Starts the checks. If the stored certificate allows the use, returns at once with the status `offline` and the reason
   * `GUARD.CHECKING`, and the first check runs behind it. Otherwise, and with `fresh`, returns the state after that check.
   */
  async start({ fresh = false }: StartOptions = {}): Promise<GuardState> {
    await this.#stopping;
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.#memory.hold();
      const earlier = this.#failure;
      await this.#memory.load();
      // stop() may have been called meanwhile.
      if (!this.#isRunning) return this.#state;
      // A check that the caller asked for may have ended while the store was read.
      const isUnchecked = this.#answer === null && this.#failure === earlier;
      if (isUnchecked) await this.#fail('GUARD.CHECKING', 'The service has not answered yet. Wait for it.');
    }
    const kept = this.#state;
    const checked = this.refresh();
    const isAllowed = kept.status === 'offline' && kept.reason === 'GUARD.CHECKING';
    return isAllowed && !fresh ? kept : await checked;
  }

  /** Asks the service now, and returns the new state. Concurrent calls share one check. */
  refresh(): Promise<GuardState> {
    this.#checking ??= this.#check(this.#abort.signal).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /**
   * Lists the devices that hold a seat of the license, at most 100 and newest first, so that a user can release one when
   * the reason is `ACTIVATION.LIMIT_REACHED`. Names are masked. Rejects with a `LicensingError`.
   */
  async devices(): Promise<readonly LicensedDevice[]> {
    const { client } = this.#options;
    const { licenseKey } = this.#memory;
    const page = { limit: 100, ...(await this.#machine()) };
    return (await client.listActivations(licenseKey, page)).activations;
  }

  /**
   * Frees the seat of another device, takes it if this one needs a seat, and returns the new state. The vendor may limit
   * how often: `ACTIVATION.DEACTIVATION_LIMIT_REACHED`. Rejects with a `LicensingError`; the seat is then as before.
   */
  async releaseDevice(id: string): Promise<GuardState> {
    await this.#options.client.deactivate(this.#memory.licenseKey, id);
    // A check that already runs may get an answer from before the release.
    await this.#checking;
    return await this.refresh();
  }

  /**
   * Returns the text of a request file for a machine without a network. The user uploads the file in the portal and
   * imports the certificate file. Rejects with a `LicensingError`, also if `product` or `fingerprint` is missing.
   */
  async requestFile(): Promise<string> {
    const { product = '', deviceName } = this.#options;
    const { fingerprint = '' } = await this.#machine();
    return offlineRequest({ product, fingerprint, name: deviceName });
  }

  /**
   * Imports the text of a certificate file and returns the new state. Rejects with a `LicensingError` for another file,
   * one of another license key or device, a certificate that does not verify, and one from before the last refusal.
   */
  async importCertificate(file: string): Promise<GuardState> {
    await this.#checking;
    await this.#certificates.importFile(file);
    // An earlier answer of the service says nothing about the certificate.
    this.#answer = null;
    this.#failure ??= {
      code: 'GUARD.CHECKING',
      detail: 'A certificate was imported. Connect to the network, so that the next check can ask the service.',
    };
    await this.#evaluate();
    this.#scheduleTick();
    return this.#state;
  }

  /**
   * Starts the trial of the product on this machine, or takes up the one that it had, and returns the answer of the
   * service; `state` is then the new one. `status: confirmation_required`: the user receives a code by mail, for
   * `confirmTrial`. The store keeps the key of the trial. Needs `product` and `fingerprint`. Rejects with a
   * `LicensingError`, and nothing changes then.
   */
  async startTrial(user: TrialUser = {}): Promise<Trial | PendingTrial> {
    const answer = await askForTrial(this.#options, user, await this.#machine());
    if (answer.status === 'started') await this.#adopt(answer.licenseKey);
    return answer;
  }

  /** Starts the trial with the code that the user received by mail, and returns the new state. Rejects like `startTrial`. */
  async confirmTrial(code: string): Promise<GuardState> {
    const { licenseKey } = await confirmTrial(this.#options.client, code);
    return await this.#adopt(licenseKey);
  }

  /**
   * Continues with a license key that the user entered, which the store keeps, and returns the new state. Rejects with a
   * `LicensingError` if the service refuses the key: a trial goes on then. A key whose seats are taken is not refused.
   */
  async activate(licenseKey: string): Promise<GuardState> {
    await assertUsable(this.#options, licenseKey, await this.#machine());
    return await this.#adopt(licenseKey);
  }

  /**
   * Finds the newest release of the product that the license permits, for this system. Downloads nothing. Never rejects:
   * `code` says why there is no answer. Needs `product`.
   */
  async checkForUpdate(question: UpdateQuestion): Promise<UpdateCheck> {
    // A check reads the store too, and another read would disturb it.
    if (this.#memory.licenseKey === '') await (this.#checking ?? this.#memory.load());
    return await findUpdate(this.#options, this.#memory.licenseKey, question);
  }

  async #adopt(licenseKey: string): Promise<GuardState> {
    // A running check is about the former key.
    await this.#checking;
    await this.#memory.load();
    if (licenseKey !== this.#memory.licenseKey) this.#answer = null;
    this.#memory.adopt(licenseKey);
    return await this.refresh();
  }

  /**
   * Ends the checks. A floating seat is freed if no other guard holds the store, such as one of another process: the state
   * becomes `unlicensed` then. Otherwise it does not change.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  async #check(signal: AbortSignal): Promise<GuardState> {
    this.#clearTimer();
    await this.#beating;
    let retryAfterMs = 0;
    try {
      await this.#consult(signal);
    } catch (error) {
      if (!signal.aborted) {
        const failure = wrapped('GUARD.FAILED', error, 'Correct the client.');
        retryAfterMs = failure.retryAfterMs ?? 0;
        await this.#memory.load();
        await this.#fail(failure.code, failure.message);
      }
    }
    await this.#memory.save();
    if (!signal.aborted) this.#scheduleCheck(retryAfterMs);
    return this.#state;
  }

  async #consult(signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const machine = await this.#machine();
    await this.#memory.load();
    if (this.#memory.licenseKey === '')
      throw new LicensingError({ code: 'LICENSE.KEY_MISSING', message: 'There is no license key. Enter one.' });
    const answer = await consult({ client, options: this.#options, machine, memory: this.#memory, signal });
    if (answer.serverMs !== null) this.#clock.synchronize(answer.serverMs);
    const { denial, warning } = await decide(answer, this.#certificates);
    const { certificate, licenseId } = this.#memory.answer;
    const known = answer.licenseId ?? licenseId;
    const { nowMs } = this.#clock.read();
    // A release that is too new for the license says nothing about older ones, which the certificate still allows.
    const isOfRelease = denial?.code === 'LICENSE.MAINTENANCE_EXPIRED';
    this.#memory.answer = {
      certificate: denial === null || isOfRelease ? certificate : null,
      denial,
      deniedAtMs: denial === null ? null : nowMs,
      release: isOfRelease ? releaseMs(this.#options) : null,
      licenseId: known,
    };
    this.#answer = { verdict: answer.verdict, receivedAtMs: nowMs, warning };
    this.#failure = null;
    // A user who waits for a seat gets it sooner, but a copied key does not ask for ever more.
    const waits = (denial ?? warning)?.code === 'ACTIVATION.LIMIT_REACHED';
    this.#failedChecks = waits || answer.isIncomplete ? this.#failedChecks + 1 : 0;
    if (denial === null && warning === null) await this.#renewCertificate(signal);
    if (!signal.aborted) await this.#evaluate();
  }

  /** If it fails, the next check comes sooner. */
  async #renewCertificate(signal: AbortSignal): Promise<void> {
    if (!(await this.#certificates.renew(signal))) this.#failedChecks += 1;
  }

  async #fail(code: Reason['code'], detail: string): Promise<void> {
    this.#failure = { code, detail };
    if (code !== 'GUARD.CHECKING') this.#failedChecks += 1;
    await this.#evaluate();
  }

  /** Verifies the certificate again, and publishes the state that follows. Never rejects. */
  async #evaluate(): Promise<void> {
    try {
      this.#certified = await this.#certificates.verifyKept();
    } catch {
      // The fingerprint or WebCrypto is missing: an unverifiable certificate counts as absent.
      this.#certified = null;
    }
    this.#publish(this.#judge());
  }

  #judge(): GuardState {
    const { checkIntervalMs = defaultCheckIntervalMs, entitlements = [], jwks, language } = this.#options;
    return judge({
      ...this.#clock.read(),
      answer: this.#answer,
      failure: this.#failure,
      denial: denialFor(this.#memory.answer, this.#options),
      certified: this.#certified,
      answerLifeMs: 2 * checkIntervalMs,
      demanded: entitlements,
      isSigned: jwks !== undefined,
      language,
    });
  }

  #publish(state: GuardState): void {
    this.#state = state;
    // An application may quit when it hears that it is unlicensed, so it hears that only after a check.
    if (this.#failure?.code === 'GUARD.CHECKING' && state.status === 'unlicensed') return;
    if (!isChange(this.#published, state)) return;
    this.#published = state;
    this.#listeners.emit('change', state);
  }

  #scheduleCheck(retryAfterMs: number): void {
    const leaseMs = this.#memory.seat?.leaseMs ?? null;
    const leftMs = this.#state.until === null ? null : this.#state.until.getTime() - this.#clock.read().nowMs;
    const delayMs = checkDelayMs(this.#options, { failedChecks: this.#failedChecks, leaseMs, leftMs });
    const { random = Math.random } = this.#options;
    this.#untilCheckMs = Math.max(delayMs * (0.9 + 0.2 * random()), retryAfterMs);
    this.#scheduleTick();
  }

  /** Sets the timer for what comes first: the check, a heartbeat, or the end of the certificate. */
  #scheduleTick(): void {
    this.#clearTimer();
    if (!this.#isRunning) return;
    const { status, until } = this.#state;
    const leaseMs = status === 'unlicensed' ? null : (this.#memory.seat?.leaseMs ?? null);
    const endMs = status === 'offline' && until ? until.getTime() - this.#clock.read().nowMs : null;
    const { timers = runtimeTimers, random = Math.random } = this.#options;
    const { due, delayMs } = nextTick({ untilCheckMs: this.#untilCheckMs, leaseMs, endMs, random: random() });
    this.#timer = timers.setTimeout(() => {
      this.#untilCheckMs -= delayMs;
      void this.#tick(due);
    }, delayMs);
  }

  async #tick(due: Due): Promise<void> {
    // The certificate may have ended; a check of an unreachable service would only notice it seconds later.
    if (this.#failure !== null) await this.#evaluate();
    if (due === 'check' || (due === 'beat' && this.#failure !== null)) return void (await this.refresh());
    if (due === 'end') return this.#scheduleTick();
    this.#beating = this.#beat(this.#abort.signal).finally(() => {
      this.#beating = undefined;
    });
    await this.#beating;
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { seat } = this.#memory;
    if (seat === null) return this.#scheduleTick();
    try {
      const { client } = this.#options;
      const activation = await client.heartbeat(this.#memory.licenseKey, seat.id, { signal });
      this.#memory.seat = seatOf(activation, seat.fingerprint);
      // Where the policy requires activation, the certificate ends with the lease.
      const { claims } = this.#certified ?? {};
      const isHalfOver = claims && (claims.exp + claims.iat) * 500 < this.#clock.read().nowMs;
      if (!claims || isHalfOver) await this.#renewCertificate(signal);
      await this.#memory.save();
      if (signal.aborted) return;
      await this.#evaluate();
      this.#scheduleTick();
    } catch {
      // The seat is lost or the service does not answer. A check finds out, but not before this heartbeat has ended.
      if (!signal.aborted) queueMicrotask(() => void this.refresh());
    }
  }

  async #stop(): Promise<void> {
    this.#isRunning = false;
    this.#clearTimer();
    this.#abort.abort();
    await Promise.all([this.#checking, this.#beating]);
    this.#abort = new AbortController();
    await this.#releaseSeat();
  }

  async #releaseSeat(): Promise<void> {
    const isLast = await this.#memory.leave();
    const { fingerprint } = await this.#machine().catch((): Machine => ({}));
    if (!isLast || !(await freeSeat(this.#options.client, this.#memory, fingerprint))) return;
    await this.#memory.save();
    this.#answer = null;
    this.#failure = { code: 'GUARD.STOPPED', detail: 'The seat was released. Call start() to take one.' };
    await this.#evaluate();
  }

  #clearTimer(): void {
    const { timers = runtimeTimers } = this.#options;
    if (this.#timer !== undefined) timers.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
