import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { described, strictObject, TimestampIn, TimestampOut } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { advanceClock, requireSandbox } from './service.ts';

const tags = ['Billing administration'] as const;

const SandboxClock = Type.Object(
  { now: described(TimestampOut, 'The present time of the sandbox.') },
  { title: 'SandboxClock', description: 'The clock of the payment sandbox.' },
);

const AdvanceClock = strictObject(
  {
    advance_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 63_244_800, description: 'Seconds to advance by, at most 732 days.' }),
    ),
    to: Type.Optional(described(TimestampIn, 'A future time, in place of `advance_seconds`, at most 732 days ahead.')),
  },
  {
    title: 'AdvanceSandboxClock',
    description: 'Moves the clock of the payment sandbox forward.',
    examples: [{ advance_seconds: 86_400 }],
  },
);

/** Registers the routes on which admins read and advance the clock of the payment sandbox. */
export function paymentSandboxRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/sandbox/clock', {
      operationId: 'adminGetSandboxClock',
      summary: "Read the payment sandbox's clock",
      tags,
      errors: ['RESOURCE.NOT_FOUND'],
      response: { 200: Envelope(SandboxClock) },
      async handler({ request }) {
        return success(request, { now: await requireSandbox(services).provider.now() });
      },
    }),
    adminRoute('POST', '/sandbox/clock', {
      operationId: 'adminAdvanceSandboxClock',
      summary: "Advance the payment sandbox's clock",
      tags,
      errors: ['RESOURCE.NOT_FOUND'],
      description: 'Renewals, retries and expiries that become due happen in their order before the response.',
      body: AdvanceClock,
      response: { 200: Envelope(SandboxClock) },
      async handler({ request, actor }) {
        return success(request, { now: await advanceClock(services, actor, request.body) });
      },
    }),
  ];
}
