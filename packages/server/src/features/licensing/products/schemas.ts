import { type Static, Type } from 'typebox';
import {
  Metadata,
  Name,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';

const ProductCode = Type.String({
  pattern: '^[a-z0-9-]{1,64}$',
  description:
    'Unique within the tenant. Lower-case letters, digits and hyphens. Integration requests can identify the ' +
    'product by its code.',
});

const fields = {
  code: ProductCode,
  name: Name,
  description: Nullable(Type.String({ maxLength: 2000 })),
  platforms: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { maxItems: 50, uniqueItems: true }),
  metadata: Metadata,
};

export const Product = Type.Object({
  id: Uuid,
  code: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  platforms: Type.Array(Type.String()),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type Product = Static<typeof Product>;

export const CreateProduct = strictObject({
  code: fields.code,
  name: fields.name,
  description: Type.Optional(fields.description),
  platforms: Type.Optional(fields.platforms),
  metadata: Type.Optional(fields.metadata),
});
export type CreateProduct = Static<typeof CreateProduct>;

export const UpdateProduct = strictObject({
  code: Type.Optional(fields.code),
  name: Type.Optional(fields.name),
  description: Type.Optional(fields.description),
  platforms: Type.Optional(Nullable(fields.platforms)),
  metadata: Type.Optional(Nullable(fields.metadata)),
});
export type UpdateProduct = Static<typeof UpdateProduct>;

export const ProductsQuery = PageQuery({
  code: Type.Optional(ProductCode),
  q: Type.Optional(SearchText('Words. Each must be a prefix of a word of the name or the code. Case is ignored.')),
});
export type ProductsQuery = Static<typeof ProductsQuery>;
