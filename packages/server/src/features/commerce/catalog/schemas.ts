import { type Static, Type } from 'typebox';
import { Name, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

export const CatalogCode = Type.String({
  pattern: '^[a-z0-9-]{1,64}$',
  description: 'Unique. Lower-case letters, digits and hyphens.',
});

const Description = Nullable(Type.String({ maxLength: 2000 }));

/** A product that the platform sells. Each plan may belong to one. */
export const CatalogProduct = Type.Object({
  id: Uuid,
  code: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type CatalogProduct = Static<typeof CatalogProduct>;

export const CreateCatalogProduct = strictObject({
  code: CatalogCode,
  name: Name,
  description: Type.Optional(Description),
});
export type CreateCatalogProduct = Static<typeof CreateCatalogProduct>;

export const UpdateCatalogProduct = strictObject({
  code: Type.Optional(CatalogCode),
  name: Type.Optional(Name),
  description: Type.Optional(Description),
});
export type UpdateCatalogProduct = Static<typeof UpdateCatalogProduct>;

export const CatalogProductsQuery = PageQuery({ code: Type.Optional(CatalogCode) });
export type CatalogProductsQuery = Static<typeof CatalogProductsQuery>;
