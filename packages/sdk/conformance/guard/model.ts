import type { JsonObject } from '../runner/json.ts';
import type { GuardStep } from './steps.ts';
import type { GuardWorld, Observation } from './world.ts';

const hourMs = 3_600_000;

/**
 * What the service really told a machine with one guard, and so what the guard may say. It knows nothing of how a guard
 * works, so it is the judge of every guard: of random steps in a test, and of the steps that become cases.
 */
export class GuardModel {
  readonly #world: GuardWorld;
  /** The last answer with a genuine proof; null before the first. */
  #heard: 'yes' | 'no' | null = null;
  #heardInThisRunAtMs: number | null = null;
  /** The end of the last certificate that arrived after the last `no`. */
  #certificateEndMs: number | null = null;
  #hasSetClock = false;
  /** Whether a new process has the right to start with what the store holds. */
  #mayStartOffline = false;

  constructor(world: GuardWorld) {
    this.#world = world;
    this.#listen();
  }

  /** Returns why the state after a step is wrong: the guard allows too much or refuses too much. Null if it is right. */
  problemAfter(step: GuardStep, { guards, returned }: Observation): string | null {
    if (step.step === 'clock_is_set') this.#hasSetClock = true;
    // Within one check, a new seat can turn a no into a yes. The certificate is kept then.
    if (this.#heard === 'no') this.#certificateEndMs = null;
    const { status, reason } = guards['first'] as JsonObject;
    const mayStartOffline = this.#mayStartOffline;
    this.#mayStartOffline = this.#holdsCertificate();
    const problem =
      this.#problemOf(String(status)) ?? this.#problemOfStart(step, String(returned ?? status), mayStartOffline);
    return problem === null ? null : `${problem}: ${status} (${reason})`;
  }

  /** Forgets what only the process knew, before a restart. */
  restart(): void {
    this.#heardInThisRunAtMs = null;
  }

  #problemOf(status: string): string | null {
    const { realMs } = this.#world;
    if (status !== 'unlicensed' && this.#heard !== 'yes') return 'allowed, although the service did not say yes';
    const isOnline = status === 'licensed' || status === 'grace';
    if (isOnline && this.#heardInThisRunAtMs === null) return 'online without an answer';
    if (this.#hasSetClock) return null;
    const holdsCertificate = this.#holdsCertificate();
    const answeredAtMs = this.#heard === 'yes' ? this.#heardInThisRunAtMs : null;
    const hasNews = answeredAtMs !== null && realMs < answeredAtMs + 2 * hourMs;
    if (status === 'offline' && !holdsCertificate && !hasNews) return 'offline without a right';
    const isRefused = status === 'unlicensed' && this.#heard !== 'no';
    return isRefused && holdsCertificate ? 'turned away with a valid certificate' : null;
  }

  /** A new process starts at once with a certificate, and without one it waits for the answer. */
  #problemOfStart({ step }: GuardStep, returned: string, mayStartOffline: boolean): string | null {
    if (step !== 'restart' || this.#hasSetClock) return null;
    if (mayStartOffline) return returned === 'offline' ? null : `waited with a valid certificate (${returned})`;
    return returned === 'offline' ? 'started without a certificate' : null;
  }

  #holdsCertificate(): boolean {
    return this.#certificateEndMs !== null && this.#world.realMs < this.#certificateEndMs;
  }

  /** Notes what leaves the service, because only that can have been heard. */
  #listen(): void {
    const { service } = this.#world;
    const { validate, issueCertificate } = service;
    service.validate = async (...question) => {
      const verdict = await validate.apply(service, question);
      if (service.isForged) return verdict;
      this.#heard = verdict.valid ? 'yes' : 'no';
      this.#heardInThisRunAtMs = this.#world.realMs;
      return verdict;
    };
    service.issueCertificate = async (...terms) => {
      const certificate = await issueCertificate.apply(service, terms);
      this.#certificateEndMs = service.certificateEndMs;
      return certificate;
    };
  }
}
