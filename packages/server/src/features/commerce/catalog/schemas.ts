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

export const CatalogCode = Type.String({
  pattern: '^[a-z0-9-]{1,64}$',
  description: 'Unique. Lower-case letters, digits and hyphens.',
  examples: ['team'],
});

const descriptionText = 'A note for the admins of the platform.';
const Description = Nullable(Type.String({ maxLength: 2000 }), { description: descriptionText });
const ProductName = described(Name, 'The name that buyers see.');

/** A product that the platform sells. Each plan may belong to one. */
export const CatalogProduct = Type.Object(
  {
    id: Uuid,
    code: Type.String({ description: 'Unique within the catalog.' }),
    name: Type.String(),
    description: Nullable(Type.String(), { description: descriptionText }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'CatalogProduct',
    description: 'A product that the platform sells. Each plan may belong to one.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f710',
        code: 'licensing',
        name: 'Licensing',
        description: null,
        created_at: '2026-11-01T09:00:00.000000Z',
        updated_at: '2026-11-01T09:00:00.000000Z',
      },
    ],
  },
);
export type CatalogProduct = Static<typeof CatalogProduct>;

export const CreateCatalogProduct = strictObject(
  withDefaults(
    { code: CatalogCode, name: ProductName, description: Type.Optional(Description) },
    { description: null },
  ),
  {
    title: 'CreateCatalogProduct',
    description: 'A new product of the platform.',
    examples: [{ code: 'licensing', name: 'Licensing' }],
  },
);
export type CreateCatalogProduct = Static<typeof CreateCatalogProduct>;

export const UpdateCatalogProduct = strictObject(
  {
    code: Type.Optional(CatalogCode),
    name: Type.Optional(ProductName),
    description: Type.Optional(Description),
  },
  {
    title: 'UpdateCatalogProduct',
    description: 'The fields of a product of the platform to change.',
    examples: [{ name: 'Licensing for teams' }],
  },
);
export type UpdateCatalogProduct = Static<typeof UpdateCatalogProduct>;

export const CatalogProductsQuery = PageQuery({
  code: Type.Optional(described(CatalogCode, 'The complete code.')),
});
export type CatalogProductsQuery = Static<typeof CatalogProductsQuery>;
