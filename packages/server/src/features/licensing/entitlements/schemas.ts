import { type Static, Type } from 'typebox';
import { Name, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { EntitlementCode } from './grant-schemas.ts';

const EntitlementType = Type.Union([Type.Literal('boolean'), Type.Literal('value'), Type.Literal('metered')], {
  description:
    '`boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be ' +
    'changed.',
});
const Description = Nullable(Type.String({ maxLength: 2000, pattern: '^[^\\u0000]*$' }));

export const Entitlement = Type.Object({
  id: Uuid,
  code: Type.String(),
  name: Type.String(),
  type: EntitlementType,
  description: Nullable(Type.String()),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type Entitlement = Static<typeof Entitlement>;

export const CreateEntitlement = strictObject({
  code: EntitlementCode,
  name: Name,
  type: EntitlementType,
  description: Type.Optional(Description),
});
export type CreateEntitlement = Static<typeof CreateEntitlement>;

/** Contains neither code nor type, because policies, licenses and shipped software rely on them. */
export const UpdateEntitlement = strictObject({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
});
export type UpdateEntitlement = Static<typeof UpdateEntitlement>;

export const EntitlementsQuery = PageQuery({
  code: Type.Optional(EntitlementCode),
  type: Type.Optional(EntitlementType),
});
export type EntitlementsQuery = Static<typeof EntitlementsQuery>;
