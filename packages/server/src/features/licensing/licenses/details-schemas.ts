import { type Static, Type } from 'typebox';
import { Nullable, TimestampOut } from '../../../http/schema.ts';
import { exampleLicense, License } from './schemas.ts';

const PendingTerm = Type.Object(
  {
    begins_with: Type.Union([Type.Literal('first_validation'), Type.Literal('first_activation')], {
      description: 'What the term begins with.',
    }),
    duration_days: Nullable(Type.Integer(), { description: 'The days that the license is valid from then on.' }),
    duration_months: Nullable(Type.Integer(), { description: 'Or the months of the calendar.' }),
  },
  {
    title: 'PendingTerm',
    description: 'A term that has not begun.',
    examples: [{ begins_with: 'first_validation', duration_days: 14, duration_months: null }],
  },
);

export const LicenseDetails = Type.Object(
  {
    ...License.properties,
    product_name: Type.Optional(Type.String({ description: 'The name of the product. Only with `include=details`.' })),
    policy_name: Type.Optional(Type.String({ description: 'The name of the policy. Only with `include=details`.' })),
    activations_limit: Type.Optional(
      Nullable(Type.Integer(), {
        description:
          "The effective limit of active devices: the license's own, otherwise its policy's. Null: unlimited. Only with " +
          '`include=details`.',
      }),
    ),
    pending_term: Type.Optional(
      Nullable(PendingTerm, {
        description:
          'The term that has not begun, so that the license has no end yet; null: it has begun, or none begins. Only with ' +
          '`include=details`.',
      }),
    ),
    refused_since: Type.Optional(
      Nullable(TimestampOut, {
        description:
          'Since when devices are refused because every seat is taken; null: none was refused since a device was last ' +
          'activated. Only with `include=details`.',
      }),
    ),
  },
  {
    title: 'LicenseDetails',
    description: 'A license, on request with what applies to it from its product and its policy.',
    examples: [
      {
        ...exampleLicense,
        product_name: 'Editor',
        policy_name: 'Yearly',
        activations_limit: 3,
        pending_term: null,
        refused_since: null,
      },
    ],
  },
);
export type LicenseDetails = Static<typeof LicenseDetails>;
