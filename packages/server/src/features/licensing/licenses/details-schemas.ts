import { type Static, Type } from 'typebox';
import { Nullable, TimestampOut } from '../../../http/schema.ts';
import { exampleLicense, License } from './schemas.ts';

export const PendingTerm = Type.Object(
  {
    begins_with: Type.Union([Type.Literal('first_validation'), Type.Literal('first_activation')], {
      description: 'What the term begins with.',
    }),
    duration_days: Nullable(Type.Integer(), { description: 'The days that the license is valid from then on.' }),
    duration_months: Nullable(Type.Integer(), { description: 'Or the months of the calendar.' }),
    ends_with_month: Type.Boolean({ description: 'Whether it then goes on until the month ends.' }),
  },
  {
    title: 'PendingTerm',
    description: 'A term that has not begun.',
    examples: [{ begins_with: 'first_validation', duration_days: 14, duration_months: null, ends_with_month: false }],
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
          "The license's own limit of devices, else its policy's. Null: unlimited. Only with `include=details`.",
      }),
    ),
    activations_admitted: Type.Optional(
      Nullable(Type.Integer(), {
        description: 'The limit with the overage of the policy. Null: unlimited. Only with `include=details`.',
      }),
    ),
    pending_term: Type.Optional(
      Nullable(PendingTerm, {
        description: 'The term that has not begun; null: none. Only with `include=details`.',
      }),
    ),
    refused_since: Type.Optional(
      Nullable(TimestampOut, {
        description:
          'Since when devices are refused because every seat is taken; null: none is. Only with `include=details`.',
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
        activations_admitted: 3,
        pending_term: null,
        refused_since: null,
      },
    ],
  },
);
export type LicenseDetails = Static<typeof LicenseDetails>;
