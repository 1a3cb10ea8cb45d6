import { type Static, Type } from 'typebox';
import {
  described,
  Name,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { EntitlementCode } from './grant-schemas.ts';

const EntitlementType = Type.Union([Type.Literal('boolean'), Type.Literal('value'), Type.Literal('metered')], {
  title: 'EntitlementType',
  description:
    '`boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be ' +
    'changed.',
});
const descriptionText = 'A note for the users of the tenant.';
const Description = Nullable(Type.String({ maxLength: 2000, pattern: '^[^\\u0000]*$' }), {
  description: descriptionText,
});

export const Entitlement = Type.Object(
  {
    id: Uuid,
    code: described(EntitlementCode, 'Unique within the tenant.'),
    name: Type.String(),
    type: EntitlementType,
    description: Nullable(Type.String(), { description: descriptionText }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'Entitlement',
    description: 'A feature or a quantity that policies and licenses grant.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f71a',
        code: 'export',
        name: 'Export as PDF',
        type: 'boolean',
        description: null,
        created_at: '2026-11-20T17:42:00.123456Z',
        updated_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
export type Entitlement = Static<typeof Entitlement>;

export const CreateEntitlement = strictObject(
  withDefaults(
    {
      code: described(EntitlementCode, 'Unique within the tenant. It cannot be changed.'),
      name: described(Name, 'The name that users see.'),
      type: EntitlementType,
      description: Type.Optional(Description),
    },
    { description: null },
  ),
  {
    title: 'CreateEntitlement',
    description: 'A new feature or limit that policies and licenses can grant.',
    examples: [{ code: 'export', name: 'Export as PDF', type: 'boolean' }],
  },
);
export type CreateEntitlement = Static<typeof CreateEntitlement>;

/** Contains neither code nor type, because policies, licenses and shipped software rely on them. */
export const UpdateEntitlement = strictObject(
  { name: Type.Optional(described(Name, 'The name that users see.')), description: Type.Optional(Description) },
  {
    title: 'UpdateEntitlement',
    description: 'The fields of an entitlement to change.',
    examples: [{ name: 'Export as PDF and SVG' }],
  },
);
export type UpdateEntitlement = Static<typeof UpdateEntitlement>;

export const EntitlementsQuery = PageQuery({
  code: Type.Optional(described(EntitlementCode, 'The complete code.')),
  type: Type.Optional(described(EntitlementType, 'Return only entitlements of this type.')),
});
export type EntitlementsQuery = Static<typeof EntitlementsQuery>;
