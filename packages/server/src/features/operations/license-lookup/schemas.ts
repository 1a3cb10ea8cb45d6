import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, Uuid } from '../../../http/schema.ts';
import { TenantStatus } from '../../accounts/identity/schemas.ts';
import { keyEndMin } from '../../licensing/licenses/key-lookup-service.ts';
import { licenseKeyMaxLength } from '../../licensing/licenses/license-key.ts';
import { LicenseStatus } from '../../licensing/licenses/schemas.ts';

/** The query of the lookup. */
export const LookupQuery = strictObject({
  key: Type.String({
    minLength: keyEndMin,
    maxLength: licenseKeyMaxLength,
    description: `A license key, or its last ${keyEndMin} or more characters.`,
  }),
  after: Type.Optional(described(Uuid, 'The `next` of the last response.')),
});

const example = '019a9b00-1a2b-7c3d-8e4f-5a6b7c8d9e0f';

/** The licenses that one step of a lookup found. */
export const FoundLicenses = Type.Object(
  {
    licenses: Type.Array(
      Type.Object({
        id: Uuid,
        status: LicenseStatus,
        tenant: Type.Object({ id: Uuid, name: Type.String(), status: TenantStatus }),
      }),
    ),
    searched: Type.Integer({ description: 'Tenants that this request searched.' }),
    tenants: Type.Integer({ description: 'All tenants.' }),
    unreachable: Type.Array(Uuid, { description: 'Tenants without a usable database.' }),
    next: Nullable(Uuid, { description: 'Send it as `after` to search on; null: all were searched.' }),
  },
  {
    title: 'FoundLicenses',
    description: 'The licenses with a key.',
    examples: [
      {
        licenses: [{ id: example, status: 'suspended', tenant: { id: example, name: 'Acme', status: 'active' } }],
        searched: 3,
        tenants: 3,
        unreachable: [],
        next: null,
      },
    ],
  },
);
export type FoundLicenses = Static<typeof FoundLicenses>;
