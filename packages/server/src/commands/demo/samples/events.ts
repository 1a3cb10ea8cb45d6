import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { EventsTable } from '../../../db/tables/tenant/webhooks.ts';
import { presentActivation } from '../../../features/licensing/activations/activation.ts';
import { presentLicense } from '../../../features/licensing/licenses/license.ts';
import type { EventType } from '../../../features/tenant-core/events/schemas.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { DemoLicense } from './licenses.ts';
import type { Present } from './past.ts';

/** Events are kept for thirty days. */
const eventDays = 28;

const noValidations = { newest: (_id: string, at: Timestamp | null) => at };

/** Returns the events of the last weeks that the licenses and activations caused, the oldest first. */
export function planEvents(
  present: Present,
  licenses: readonly DemoLicense[],
  activations: readonly ActivationsTable[],
): EventsTable[] {
  const seats = Map.groupBy(activations, ({ license_id }) => license_id);
  const ofLicense = (type: EventType, { row }: DemoLicense, at: Timestamp) => {
    const used = (seats.get(row.id) ?? []).filter(({ created_at }) => created_at <= at);
    return newEvent(type, at, presentLicense({ ...row, activations_count: used.length }, at, noValidations));
  };
  const events = licenses.flatMap((license) => {
    const { row, changedAt } = license;
    const isSuspended = row.status === 'suspended';
    return [
      ofLicense('license.created', license, row.created_at),
      ...(changedAt === null
        ? []
        : [ofLicense(isSuspended ? 'license.suspended' : 'license.revoked', license, changedAt)]),
      ...(row.expired_noted_for === null ? [] : [ofLicense('license.expired', license, row.expired_noted_for)]),
    ];
  });
  const ofActivations = activations.flatMap((row) => [
    newEvent('activation.created', row.created_at, presentActivation(row, row.created_at)),
    ...(row.released_at === null
      ? []
      : [
          newEvent(
            row.release_reason === 'lease_expired' ? 'activation.expired' : 'activation.deactivated',
            row.released_at,
            presentActivation(row, row.released_at),
          ),
        ]),
  ]);
  const since = present.ago(eventDays);
  return [...events, ...ofActivations]
    .filter(({ occurred_at: at }) => at >= since && at < present.ago(0))
    .sort((one, other) => (one.occurred_at < other.occurred_at ? -1 : 1));
}

function newEvent(type: EventType, at: Timestamp, data: object): EventsTable {
  return { id: newId(), type, occurred_at: at, request_id: null, data_json: JSON.stringify(data) };
}
