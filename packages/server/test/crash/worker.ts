import { newId } from '../../src/lib/ids.ts';
import type { Attempt, ChangeCode } from './journal.ts';

/** Whose data a worker changes. */
export interface Account {
  readonly token: string;
  readonly apiKey: string;
  /** Its licenses admit two activations. */
  readonly policyId: string;
}

interface Held {
  readonly id: string;
  readonly key: string;
  isSuspended: boolean;
  readonly activationIds: string[];
}

interface Call {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the answer of any route.
  readonly data: any;
}

const mostHeld = 6;

/**
 * Changes licenses one request after the other, and writes down what became of each. Nobody else changes its licenses,
 * so it knows which requests change something and which are refused.
 */
export class Worker {
  readonly attempts: Attempt[] = [];
  /** Answers that a caller must not get, whatever dies when. */
  readonly surprises: string[] = [];
  readonly #account: Account;
  readonly #random: () => number;
  readonly #held: Held[] = [];
  /** A creation that the process died over, to be repeated. */
  #open: { readonly attempt: Attempt; readonly call: Call } | undefined;
  #address = '';
  #onAnswer: () => void = () => undefined;

  constructor(account: Account, random: () => number) {
    this.#account = account;
    this.#random = random;
  }

  /** Works against a service until it does not answer any more; tells of each answer. */
  async run(address: string, onAnswer: () => void): Promise<void> {
    this.#address = address;
    this.#onAnswer = onAnswer;
    if (this.#open !== undefined && !(await this.#repeat(this.#open))) return;
    while (await this.#step());
  }

  /** False when the service is gone. */
  async #step(): Promise<boolean> {
    const held = this.#held[Math.floor(this.#random() * this.#held.length)];
    if (held === undefined || (this.#held.length < mostHeld && this.#random() < 0.35)) return await this.#create();
    const steps = [
      () => this.#transition(held),
      () => this.#repeatTransition(held),
      () => this.#activate(held),
      () => this.#activate(held),
      () => this.#deactivate(held),
      () => this.#remove(held),
      () => this.#create({ key: held.key }),
      () => this.#create({ policy_id: newId() }),
    ];
    const step = steps[Math.floor(this.#random() * steps.length)];
    return step === undefined ? true : await step();
  }

  /** With a key that is taken, or a policy that does not exist, it must be refused. */
  async #create(refusedFor?: object): Promise<boolean> {
    const idempotencyKey = newId();
    const body = { policy_id: this.#account.policyId, holder: { reference: idempotencyKey }, ...refusedFor };
    const call: Call = { method: 'POST', path: '/api/v1/tenant/licenses', body, idempotencyKey };
    const attempt = this.#begin('LICENSE.CREATED');
    const answer = await this.#ask(attempt, call, refusedFor === undefined ? [201] : [409, 422]);
    if (answer === undefined) {
      if (refusedFor === undefined && this.#random() < 0.5) this.#open = { attempt, call };
      return false;
    }
    if (answer.status === 201) this.#hold(answer);
    return true;
  }

  /** The same creation again: it answers what was made, or makes it now. */
  async #repeat({ attempt, call }: { attempt: Attempt; call: Call }): Promise<boolean> {
    const answer = await this.#ask(attempt, call, [201]);
    if (answer === undefined) return false;
    this.#open = undefined;
    if (answer.status === 201) this.#hold(answer);
    return true;
  }

  #hold({ data: { id, key } }: Answered): void {
    this.#held.push({ id, key, isSuspended: false, activationIds: [] });
  }

  async #transition(held: Held): Promise<boolean> {
    const [name, code] = held.isSuspended
      ? (['reinstate', 'LICENSE.REINSTATED'] as const)
      : (['suspend', 'LICENSE.SUSPENDED'] as const);
    const answer = await this.#change(code, held, { method: 'POST', path: `${pathOf(held)}/${name}` }, [200]);
    if (answer !== undefined) held.isSuspended = !held.isSuspended;
    return answer !== undefined;
  }

  /** A transition that was made already is answered with 200 and changes nothing. */
  async #repeatTransition(held: Held): Promise<boolean> {
    const [name, code] = held.isSuspended
      ? (['suspend', 'LICENSE.SUSPENDED'] as const)
      : (['reinstate', 'LICENSE.REINSTATED'] as const);
    const attempt = this.#begin(code);
    const answer = await this.#ask(attempt, { method: 'POST', path: `${pathOf(held)}/${name}` }, [200]);
    attempt.outcome = 'unchanged';
    if (answer === undefined) this.#forget(held);
    return answer !== undefined;
  }

  async #activate(held: Held): Promise<boolean> {
    const path = `/api/v1/integration/licenses/${held.key}/activations`;
    const isRefused = held.isSuspended || held.activationIds.length >= 2;
    const call: Call = { method: 'POST', path, body: { fingerprint: newId() } };
    const answer = await this.#change('ACTIVATION.CREATED', held, call, isRefused ? [422] : [201]);
    if (answer?.status === 201) held.activationIds.push(answer.data.id);
    return answer !== undefined;
  }

  async #deactivate(held: Held): Promise<boolean> {
    const [id] = held.activationIds;
    if (id === undefined) return true;
    const path = `/api/v1/integration/licenses/${held.key}/activations/${id}/deactivate`;
    const answer = await this.#change('ACTIVATION.DEACTIVATED', held, { method: 'POST', path }, [200]);
    if (answer !== undefined) held.activationIds.shift();
    return answer !== undefined;
  }

  async #remove(held: Held): Promise<boolean> {
    this.#forget(held);
    const call: Call = { method: 'DELETE', path: pathOf(held) };
    return (await this.#change('LICENSE.DELETED', held, call, [200])) !== undefined;
  }

  /** A change of a license that nobody knows the state of when it is not answered: the license is left alone then. */
  async #change(code: ChangeCode, held: Held, call: Call, expected: readonly number[]): Promise<Answered | undefined> {
    const answer = await this.#ask(this.#begin(code), call, expected);
    if (answer === undefined) this.#forget(held);
    return answer;
  }

  #forget(held: Held): void {
    const index = this.#held.indexOf(held);
    if (index >= 0) this.#held.splice(index, 1);
  }

  #begin(code: ChangeCode): Attempt {
    const attempt: Attempt = { code, requestIds: [], outcome: 'unknown', resourceId: null };
    this.attempts.push(attempt);
    return attempt;
  }

  /** Undefined when no whole answer came. */
  async #ask(attempt: Attempt, call: Call, expected: readonly number[]): Promise<Answered | undefined> {
    const requestId = newId();
    attempt.requestIds.push(requestId);
    const answer = await this.#send(requestId, call).catch(() => undefined);
    if (answer === undefined) return undefined;
    this.#onAnswer();
    attempt.outcome = answer.status < 300 ? 'changed' : 'unchanged';
    attempt.resourceId = answer.data?.id ?? null;
    if (!expected.includes(answer.status)) {
      this.surprises.push(`${call.method} ${call.path} (${requestId}) answered ${answer.status}`);
    }
    return answer;
  }

  async #send(requestId: string, { method, path, body, idempotencyKey }: Call): Promise<Answered> {
    const { token, apiKey } = this.#account;
    const isIntegration = path.startsWith('/api/v1/integration/');
    const response = await fetch(this.#address + path, {
      method,
      headers: {
        'x-request-id': requestId,
        ...(isIntegration ? { 'x-api-key': apiKey } : { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { data } = (await response.json()) as Pick<Answered, 'data'>;
    return { status: response.status, data };
  }
}

function pathOf({ id }: Held): string {
  return `/api/v1/tenant/licenses/${id}`;
}
