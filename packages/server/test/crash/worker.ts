import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/lib/ids.ts';
import type { Attempt, ChangeCode, Consumption } from './journal.ts';

/** The tenant whose data a worker changes. */
export interface Account {
  readonly token: string;
  readonly apiKey: string;
  /** Its licenses permit two activations and unlimited `calls`. */
  readonly policyId: string;
  /** The client's address, for a service behind a proxy. Default: the address of the connection. */
  readonly clientAddress?: string;
}

/** A license that only its worker changes. */
interface Held {
  readonly id: string;
  readonly key: string;
  isSuspended: boolean;
  readonly activationIds: string[];
}

/** A request. A body that is a string is sent as NDJSON. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object | string;
  readonly idempotencyKey?: string;
}

/** A complete response. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly error: { readonly code: string } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the response of any route.
  readonly data: any;
}

interface Report {
  readonly consumption: Consumption;
  readonly key: string;
  readonly event: { readonly entitlement: 'calls'; readonly quantity: number; readonly idempotency_key: string };
}

const heldMax = 6;
/** Delay between requests while the service is unavailable. */
const pauseMs = 20;
/** Longer than every time limit of the service. */
const responseTimeoutMs = 45_000;

/**
 * Changes licenses one request after the other, and records each outcome. No other worker changes its licenses, so it
 * knows which requests change something and which are refused.
 */
export class Worker {
  readonly attempts: Attempt[] = [];
  /** Reported usage by license. */
  readonly consumptions: Consumption[] = [];
  /** The number of requests without a response, of 503 responses and of verdicts, and the longest response time in ms. */
  readonly figures = { unanswered: 0, unavailable: 0, verdicts: 0, slowestMs: 0 };
  /** Descriptions of responses that are always wrong, even during a crash. */
  readonly surprises: string[] = [];
  protected readonly account: Account;
  protected readonly random: () => number;
  protected readonly held: Held[] = [];
  /** A creation without a response, to be repeated. */
  #open: { readonly attempt: Attempt; readonly call: Call } | undefined;
  /** Usage reports without a response, to be repeated: each counts once. */
  readonly #lostReports: Report[] = [];
  /** True if a 503 counts as no response, because the request may have taken effect or not. */
  #toleratesOutages = false;
  #address = '';
  #onAnswer: () => void = () => undefined;
  #onTimed: OnTimed = () => undefined;

  constructor(account: Account, random: () => number) {
    this.account = account;
    this.random = random;
  }

  /** Sends requests to a service until it no longer responds. Calls `onAnswer` after each response. */
  async run(address: string, onAnswer: () => void): Promise<void> {
    this.#address = address;
    this.#onAnswer = onAnswer;
    if (this.#open !== undefined && !(await this.#repeat(this.#open))) return;
    while (await this.step());
  }

  /**
   * Sends requests to the current `address` until `signal` aborts, even if they fail. A request without a response, or
   * with a 503, may have taken effect or not.
   */
  async runThrough(address: () => string, options: RunThrough): Promise<void> {
    const { signal, onAnswer = () => undefined, onTimed = () => undefined, pauseMs: betweenMs = 0 } = options;
    this.#toleratesOutages = true;
    this.#onAnswer = onAnswer;
    this.#onTimed = onTimed;
    while (!signal.aborted) {
      this.#address = address();
      const isServed = this.#open === undefined ? await this.step() : await this.#repeat(this.#open);
      if (!isServed || betweenMs > 0) await delay(isServed ? this.random() * 2 * betweenMs : pauseMs);
    }
  }

  /** Sends one request. Returns false if the service no longer responds. */
  protected async step(): Promise<boolean> {
    const lost = this.#lostReports[0];
    if (lost !== undefined) return await this.#repeatReport(lost);
    const held = this.held[Math.floor(this.random() * this.held.length)];
    if (held === undefined || (this.held.length < heldMax && this.random() < 0.35)) return await this.create();
    const steps = [
      () => this.#transition(held),
      () => this.#repeatTransition(held),
      () => this.activate(held),
      () => this.activate(held),
      () => this.deactivate(held),
      () => this.#remove(held),
      () => this.validate(held),
      () => this.report(held),
      () => this.create({ key: held.key }),
      () => this.create({ policy_id: newId() }),
    ];
    const step = steps[Math.floor(this.random() * steps.length)];
    return step === undefined ? true : await step();
  }

  /** Creates a license. With `refusedFor`, a used key or an unknown policy, the service must refuse it. */
  protected async create(refusedFor?: object): Promise<boolean> {
    const idempotencyKey = newId();
    const body = { policy_id: this.account.policyId, holder: { reference: idempotencyKey }, ...refusedFor };
    const call: Call = { method: 'POST', path: '/api/v1/tenant/licenses', body, idempotencyKey };
    const attempt = this.#begin('LICENSE.CREATED');
    const answer = await this.request(attempt, call, refusedFor === undefined ? [201] : [409, 422]);
    if (answer === undefined) {
      if (refusedFor === undefined && this.random() < 0.5) this.#open = { attempt, call };
      return false;
    }
    if (answer.status === 201) this.#hold(answer);
    return true;
  }

  /** Repeats a creation. The response must be the license that the first request created, or a new one. */
  async #repeat({ attempt, call }: { attempt: Attempt; call: Call }): Promise<boolean> {
    const answer = await this.request(attempt, call, this.#toleratesOutages ? [201, 409] : [201]);
    if (answer === undefined) return false;
    this.#open = undefined;
    // The first request can lock its idempotency key for up to a minute, so its outcome is still unknown.
    if (answer.error?.code === 'IDEMPOTENCY.IN_PROGRESS') attempt.outcome = 'unknown';
    if (answer.status === 201) this.#hold(answer);
    return true;
  }

  #hold({ data: { id, key } }: Answered): void {
    this.held.push({ id, key, isSuspended: false, activationIds: [] });
  }

  async #transition(held: Held): Promise<boolean> {
    const [name, code] = held.isSuspended
      ? (['reinstate', 'LICENSE.REINSTATED'] as const)
      : (['suspend', 'LICENSE.SUSPENDED'] as const);
    const answer = await this.#change(code, held, { method: 'POST', path: `${pathOf(held)}/${name}` }, [200]);
    if (answer !== undefined) held.isSuspended = !held.isSuspended;
    return answer !== undefined;
  }

  /** Requests the current state again. The service must respond with 200 and change nothing. */
  async #repeatTransition(held: Held): Promise<boolean> {
    const [name, code] = held.isSuspended
      ? (['suspend', 'LICENSE.SUSPENDED'] as const)
      : (['reinstate', 'LICENSE.REINSTATED'] as const);
    const attempt = this.#begin(code);
    const answer = await this.request(attempt, { method: 'POST', path: `${pathOf(held)}/${name}` }, [200]);
    attempt.outcome = 'unchanged';
    if (answer === undefined) this.#forget(held);
    return answer !== undefined;
  }

  protected async activate(held: Held): Promise<boolean> {
    const path = `/api/v1/integration/licenses/${held.key}/activations`;
    const isRefused = held.isSuspended || held.activationIds.length >= 2;
    const call: Call = { method: 'POST', path, body: { fingerprint: newId() } };
    const answer = await this.#change('ACTIVATION.CREATED', held, call, isRefused ? [422] : [201]);
    if (answer?.status === 201) held.activationIds.push(answer.data.id);
    return answer !== undefined;
  }

  protected async deactivate(held: Held): Promise<boolean> {
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

  /** Changes a license. Without a response its state is unknown, and the worker does not use it again. */
  async #change(code: ChangeCode, held: Held, call: Call, expected: readonly number[]): Promise<Answered | undefined> {
    const answer = await this.request(this.#begin(code), call, expected);
    if (answer === undefined) this.#forget(held);
    return answer;
  }

  /** Validates a license. No other worker changes it, so only one verdict is correct. */
  protected async validate({ key, isSuspended }: Held): Promise<boolean> {
    const call: Call = { method: 'POST', path: `/api/v1/integration/licenses/${key}/validate`, body: {} };
    const answer = await this.request(nothingChanges(), call, [200]);
    if (answer === undefined) return false;
    this.figures.verdicts += 1;
    if (answer.status === 200 && answer.data.valid === isSuspended) {
      this.surprises.push(
        `The verdict of ${key} is ${answer.data.code}, but it is ${isSuspended ? 'suspended' : 'active'}.`,
      );
    }
    return true;
  }

  protected async report(held: Held): Promise<boolean> {
    let consumption = this.consumptions.find(({ licenseId }) => licenseId === held.id);
    if (consumption === undefined) {
      consumption = { licenseId: held.id, key: held.key, counted: 0, unknown: 0 };
      this.consumptions.push(consumption);
    }
    const quantity = 1 + Math.floor(this.random() * 3);
    const event = { entitlement: 'calls', quantity, idempotency_key: newId() } as const;
    const report = { consumption, key: held.key, event };
    const answer = await this.#sendReport(report, [200]);
    if (answer !== undefined) return true;
    consumption.unknown += quantity;
    this.#lostReports.push(report);
    return false;
  }

  /**
   * Repeats a usage report. If the license has been suspended or deleted meanwhile, it stays unknown whether the first
   * report counted.
   */
  async #repeatReport(report: Report): Promise<boolean> {
    const answer = await this.#sendReport(report, [200, 404]);
    if (answer === undefined) return false;
    this.#lostReports.shift();
    const result = answer.data?.results?.[0];
    if (result?.status === 'accepted' || result?.status === 'duplicate') {
      report.consumption.unknown -= report.event.quantity;
      if (result.status === 'duplicate') report.consumption.counted += report.event.quantity;
    }
    return true;
  }

  async #sendReport({ consumption, key, event }: Report, expected: readonly number[]): Promise<Answered | undefined> {
    const call: Call = { method: 'POST', path: `/api/v1/integration/licenses/${key}/usage`, body: { events: [event] } };
    const answer = await this.request(nothingChanges(), call, expected);
    if (answer?.data?.results?.[0].status === 'accepted') consumption.counted += event.quantity;
    return answer;
  }

  #forget(held: Held): void {
    const index = this.held.indexOf(held);
    if (index >= 0) this.held.splice(index, 1);
  }

  #begin(code: ChangeCode): Attempt {
    const attempt: Attempt = { code, requestIds: [], outcome: 'unknown', resourceId: null };
    this.attempts.push(attempt);
    return attempt;
  }

  /** Sends one request and records its outcome. Returns undefined if there is no complete response. */
  protected async request(attempt: Attempt, call: Call, expected: readonly number[]): Promise<Answered | undefined> {
    const requestId = newId();
    attempt.requestIds.push(requestId);
    const startedMs = performance.now();
    const answer = await this.#send(requestId, call).catch((error: Error) => {
      if (error.name === 'TimeoutError')
        this.surprises.push(
          `${call.method} ${call.path} (${requestId}) had no response within ${responseTimeoutMs / 1000} s.`,
        );
    });
    this.figures.slowestMs = Math.max(this.figures.slowestMs, performance.now() - startedMs);
    this.#onTimed(kindOf(call), performance.now() - startedMs);
    if (answer === undefined) {
      this.figures.unanswered += 1;
      return undefined;
    }
    if (this.#toleratesOutages && answer.error?.code === 'SERVICE.UNAVAILABLE') {
      this.figures.unavailable += 1;
      if (!answer.headers.has('retry-after')) this.surprises.push(`The 503 of ${requestId} has no Retry-After.`);
      return undefined;
    }
    this.#onAnswer();
    attempt.outcome = answer.status < 300 ? 'changed' : 'unchanged';
    attempt.resourceId = answer.data?.id ?? null;
    if (!expected.includes(answer.status)) {
      this.surprises.push(
        `${call.method} ${call.path} (${requestId}) responded with ${answer.status} ${answer.error?.code ?? ''}.`,
      );
    }
    return answer;
  }

  async #send(requestId: string, { method, path, body, idempotencyKey }: Call): Promise<Answered> {
    const { clientAddress } = this.account;
    const isText = typeof body === 'string';
    const response = await fetch(this.#address + path, {
      method,
      headers: {
        'x-request-id': requestId,
        ...(clientAddress !== undefined && { 'x-forwarded-for': clientAddress }),
        ...this.#credentials(path),
        ...(body !== undefined && { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const { data, error }: Pick<Answered, 'data' | 'error'> = isJson ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, data, error };
  }

  #credentials(path: string): Record<string, string> {
    if (path.startsWith('/api/auth/')) return {};
    const { token, apiKey } = this.account;
    return path.startsWith('/api/v1/integration/') ? { 'x-api-key': apiKey } : { authorization: `Bearer ${token}` };
  }
}

type OnTimed = (kind: string, durationMs: number) => void;

interface RunThrough {
  readonly signal: AbortSignal;
  readonly onAnswer?: () => void;
  /** Called after each request with its kind and duration. */
  readonly onTimed?: OnTimed;
  /** The average pause between two requests. Default 0. */
  readonly pauseMs?: number;
}

/** Returns the kind of a request, by which its duration is reported. */
function kindOf({ method, path }: Call): string {
  const name = path.replace(/\?.*/, '').split('/').at(-1) ?? '';
  if (path.startsWith('/api/v1/integration/')) return name === 'activations' ? 'activate' : name;
  if (['login', 'import', 'export'].includes(name)) return name;
  return method === 'GET' ? 'list' : 'change';
}

/** Returns a placeholder for a request without an audit record. */
export function nothingChanges(): Attempt {
  return { code: 'LICENSE.CREATED', requestIds: [], outcome: 'unknown', resourceId: null };
}

function pathOf({ id }: Held): string {
  return `/api/v1/tenant/licenses/${id}`;
}
