import { type Static, Type } from 'typebox';
import { FilterText, Metadata, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

const ActivationStatus = Type.Union([Type.Literal('active'), Type.Literal('expired'), Type.Literal('deactivated')]);

export const Activation = Type.Object({
  id: Uuid,
  license_id: Uuid,
  fingerprint: Type.String(),
  name: Nullable(Type.String()),
  hostname: Nullable(Type.String()),
  platform: Nullable(Type.String()),
  ip: Nullable(Type.String()),
  status: ActivationStatus,
  last_heartbeat_at: TimestampOut,
  lease_expires_at: Nullable(TimestampOut),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: TimestampOut,
});
export type Activation = Static<typeof Activation>;

declare module '../../tenant-core/events/event-data.ts' {
  interface EventDataTypes {
    'activation.created': Activation;
    'activation.deactivated': Activation;
    'activation.expired': Activation;
  }
}

/** Identifies a device to its license. The vendor's application computes it. */
export const Fingerprint = Type.String({ minLength: 1, maxLength: 255 });

const Label = Nullable(Type.String({ minLength: 1, maxLength: 255 }));

export const CreateActivation = strictObject({
  fingerprint: Fingerprint,
  name: Type.Optional(Label),
  hostname: Type.Optional(Label),
  platform: Type.Optional(Label),
  metadata: Type.Optional(Nullable(Metadata)),
});
export type CreateActivation = Static<typeof CreateActivation>;

export const KeyAndIdParams = Type.Object({ key: Type.String(), id: Uuid });

export const ActivationsQuery = PageQuery({
  license_id: Type.Optional(Uuid),
  status: Type.Optional(ActivationStatus),
  fingerprint: Type.Optional(FilterText(255, 'The complete fingerprint. Several licenses can have the same one.')),
});
export type ActivationsQuery = Static<typeof ActivationsQuery>;
