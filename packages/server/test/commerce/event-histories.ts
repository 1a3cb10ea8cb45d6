import fc from 'fast-check';
import { expect } from 'vitest';
import { PaymentProviderError } from '../../src/payments/provider.ts';
import { signedHeaders } from '../../src/payments/sandbox/events.ts';
import { type buy, card, dayMs, price, sandboxOf } from '../payments/sandbox-data.ts';
import type { TestApp } from '../support/harness.ts';

/** The plans of a history. */
export const plans = [price('basic', 1000), price('pro', 3000), price('team', 90_000, 'year')] as const;

/** One step of a history. */
const action = fc.oneof(
  fc.record({ kind: fc.constant('advance' as const), days: fc.integer({ min: 1, max: 45 }) }),
  fc.record({
    kind: fc.constant('change' as const),
    plan: fc.constantFrom(...plans),
    when: fc.constantFrom('now' as const, 'period_end' as const),
  }),
  fc.record({ kind: fc.constant('card' as const), name: fc.constantFrom('good' as const, 'failsLater' as const) }),
  fc.record({ kind: fc.constant('end' as const), cancels: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('keep' as const, 'pay' as const, 'void' as const, 'credit' as const) }),
);
export type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** The delivery of one event, and whether the due jobs run right after it. */
const fate = fc.record({
  isDropped: fc.boolean(),
  copies: fc.integer({ min: 1, max: 3 }),
  /** The number of actions by which the delivery is delayed. */
  delay: fc.integer({ min: 0, max: 6 }),
  /** Orders the deliveries after the same action. */
  rank: fc.integer(),
  isWorkedOn: fc.boolean(),
});
export type Fate = typeof fate extends fc.Arbitrary<infer Value> ? Value : never;

export type Bought = Awaited<ReturnType<typeof buy>>;

/** Performs an action. The provider may refuse or decline it: that is a valid history. */
export async function act(
  app: TestApp,
  { subscriptionId, customerId }: Bought,
  one: Action,
  step: number,
): Promise<void> {
  const { sandbox, payments } = sandboxOf(app);
  const openInvoice = async () =>
    (await payments.listInvoices(subscriptionId)).find(({ status }) => status === 'open')?.id ?? 'in_none';
  const work = async () => {
    switch (one.kind) {
      case 'advance':
        return void (await sandbox.advanceClock({ byMs: one.days * dayMs }));
      case 'change':
        return await payments.changePlan(subscriptionId, one.plan, one.when, String(step));
      case 'card':
        return await sandbox.changeCard(customerId, card(one.name));
      case 'end':
        return await payments.setCancelAtPeriodEnd(subscriptionId, one.cancels);
      case 'keep':
        return await payments.cancelPendingChange(subscriptionId);
      case 'pay':
        return await payments.retryInvoice(await openInvoice());
      case 'void':
        return await payments.voidInvoice(await openInvoice());
      case 'credit': {
        const credit = { amount: 100 + step, currency: 'eur', reason: 'a step' };
        return await payments.addCredit(customerId, credit, String(step));
      }
    }
  };
  await work().catch((error: unknown) => {
    if (!(error instanceof PaymentProviderError) || error.reason === 'unavailable') throw error;
  });
}

/** Returns and deletes the events that the sandbox has stored since the last call, in their order. */
export async function takeEvents({ services: { platform } }: TestApp): Promise<string[]> {
  const rows = await platform.query.selectFrom('sandbox_events').select(['id', 'body']).orderBy('created_at').execute();
  await platform.query.deleteFrom('sandbox_events').execute();
  return rows.map(({ body }) => body);
}

/** Posts an event with the sandbox's signature. */
export async function deliver(app: TestApp, body: string): Promise<void> {
  const headers = signedHeaders(app.services.keyring, body, Date.now());
  const answer = await app.request({ method: 'POST', url: '/webhooks/sandbox', payload: body, headers });
  expect(answer.status).toBe(200);
}

/** Sequences of actions on a subscription. */
export const histories = fc.array(action, { minLength: 1, maxLength: 12 });
/** The deliveries of the events, applied cyclically. */
export const fates = fc.array(fate, { minLength: 1, maxLength: 30 });

/** A transport that drops, repeats, delays and reorders events by their fates. */
export class LossyTransport {
  #events: { readonly body: string; readonly step: number; readonly fate: Fate }[] = [];
  #count = 0;
  readonly #fates: readonly Fate[];

  constructor(fates: readonly Fate[]) {
    this.#fates = fates;
  }

  send(bodies: readonly string[], step: number): void {
    for (const body of bodies) {
      const fate = this.#fates[this.#count % this.#fates.length];
      this.#count += 1;
      if (fate === undefined || fate.isDropped) continue;
      this.#events.push({ body, step: step + fate.delay, fate });
    }
  }

  /** Delivers the events that are due by a step. `work` runs after some of them. */
  async arrive(app: TestApp, upTo: number, work: () => Promise<void>): Promise<void> {
    const due = this.#events.filter(({ step }) => step <= upTo);
    this.#events = this.#events.filter(({ step }) => step > upTo);
    for (const one of due.toSorted((left, right) => left.fate.rank - right.fate.rank)) {
      for (let copy = 0; copy < one.fate.copies; copy += 1) await deliver(app, one.body);
      if (one.fate.isWorkedOn) await work();
    }
  }
}
