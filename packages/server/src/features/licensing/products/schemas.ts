import { type Static, Type } from 'typebox';
import {
  Archived,
  annotated,
  described,
  Metadata,
  MetadataOut,
  Name,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { isRenewalUrl } from './renewal-url.ts';

const ProductCode = Type.String({
  pattern: '^[a-z0-9-]{1,64}$',
  description:
    'Unique within the tenant. Lower-case letters, digits and hyphens. Integration requests can identify the ' +
    'product by its code.',
  examples: ['editor'],
});

const text = {
  description: 'A note for the users of the tenant.',
  platforms: 'The platforms that the product runs on, in words of your choice.',
  renewal_url:
    'The page on which the holder of a license renews it, which the portal links to. `{license_id}` in it stands for the id of the license.',
  archived_at: 'Since when no licenses of the product are issued; null: they are.',
  trial_policy_id:
    'The policy of trials without a key, one of the product; null: applications cannot start trials of the product.',
  download_storage:
    'The S3 storage of private files: a download is a link that works for 5 minutes. Null: every file is public.',
};

/** Only web pages: a `javascript:` address would run in the portal. */
const RenewalUrl = Type.Refine(
  Type.String({ maxLength: 500 }),
  isRenewalUrl,
  () => 'Enter a complete address such as https://example.com/renew?license={license_id}.',
);

const StorageText = Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$' });
const storageFields = {
  endpoint: described(StorageText, 'The https address of the storage.'),
  region: Type.String({ pattern: '^[a-z0-9-]{1,64}$', description: 'The region of the bucket.' }),
  bucket: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,62}$', description: 'The bucket with the files.' }),
  access_key_id: described(StorageText, 'The id of the key.'),
};
const exampleStorage = {
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  region: 'eu-central-1',
  bucket: 'releases',
  access_key_id: 'AKIA0000',
};

const DownloadStorage = Type.Object(storageFields, {
  title: 'DownloadStorage',
  description: 'Where private files are, without the secret key.',
  examples: [exampleStorage],
});
export type DownloadStorage = Static<typeof DownloadStorage>;

const DownloadStorageInput = strictObject(
  {
    ...storageFields,
    secret_access_key: Type.Optional(described(StorageText, 'Required at first; absent: the stored key stays.')),
  },
  {
    title: 'DownloadStorageInput',
    description: 'Where private files are.',
    examples: [{ ...exampleStorage, secret_access_key: 'secret' }],
  },
);
export type DownloadStorageInput = Static<typeof DownloadStorageInput>;

const fields = {
  code: ProductCode,
  name: described(Name, 'The name that users see.'),
  description: Nullable(Type.String({ maxLength: 2000 }), { description: text.description }),
  platforms: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
    maxItems: 50,
    uniqueItems: true,
    description: text.platforms,
    examples: [['windows', 'macos']],
  }),
  renewal_url: Nullable(RenewalUrl, {
    description: text.renewal_url,
    examples: ['https://example.com/renew?license={license_id}'],
  }),
  trial_policy_id: Nullable(Uuid, { description: text.trial_policy_id }),
  download_storage: Nullable(DownloadStorageInput, { description: text.download_storage }),
  metadata: Metadata,
};

export const Product = Type.Object(
  {
    id: Uuid,
    code: Type.String({ description: 'Unique within the tenant.' }),
    name: Type.String(),
    description: Nullable(Type.String(), { description: text.description }),
    platforms: Type.Array(Type.String(), { description: text.platforms }),
    renewal_url: Nullable(Type.String(), { description: text.renewal_url }),
    trial_policy_id: Nullable(Uuid, { description: text.trial_policy_id }),
    download_storage: Nullable(DownloadStorage, { description: text.download_storage }),
    metadata: MetadataOut,
    archived_at: Nullable(TimestampOut, { description: text.archived_at }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'Product',
    description: 'A product that the tenant licenses.',
    examples: [
      {
        id: '019a9b1c-5a00-7c3e-8f21-4b6d9e0a1c2d',
        code: 'editor',
        name: 'Editor',
        description: 'The desktop editor.',
        platforms: ['windows', 'macos'],
        renewal_url: 'https://example.com/renew?license={license_id}',
        trial_policy_id: null,
        download_storage: null,
        metadata: {},
        archived_at: null,
        created_at: '2026-11-20T17:42:00.123456Z',
        updated_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
export type Product = Static<typeof Product>;

export const CreateProduct = strictObject(
  withDefaults(
    {
      code: fields.code,
      name: fields.name,
      description: Type.Optional(fields.description),
      platforms: Type.Optional(fields.platforms),
      renewal_url: Type.Optional(fields.renewal_url),
      download_storage: Type.Optional(fields.download_storage),
      metadata: Type.Optional(fields.metadata),
    },
    { description: null, platforms: [], renewal_url: null, download_storage: null, metadata: {} },
  ),
  {
    title: 'CreateProduct',
    description: 'A new product.',
    examples: [{ code: 'editor', name: 'Editor', platforms: ['windows', 'macos'] }],
  },
);
export type CreateProduct = Static<typeof CreateProduct>;

export const UpdateProduct = strictObject(
  {
    code: Type.Optional(fields.code),
    name: Type.Optional(fields.name),
    description: Type.Optional(fields.description),
    platforms: Type.Optional(Nullable(fields.platforms, { description: `${text.platforms} Null empties the list.` })),
    renewal_url: Type.Optional(fields.renewal_url),
    trial_policy_id: Type.Optional(fields.trial_policy_id),
    download_storage: Type.Optional(fields.download_storage),
    metadata: Type.Optional(Nullable(fields.metadata, { description: 'Replaces all metadata; null empties it.' })),
  },
  {
    title: 'UpdateProduct',
    description: 'The fields of a product to change. A field that is left out keeps its value; null clears it.',
    examples: [{ name: 'Editor Pro', description: null }],
  },
);
export type UpdateProduct = Static<typeof UpdateProduct>;

export const ProductsQuery = PageQuery({
  archived: Archived,
  code: Type.Optional(annotated(ProductCode, { description: 'The complete code.' })),
  q: Type.Optional(SearchText('Words. Each must be a prefix of a word of the name or the code. Case is ignored.')),
});
export type ProductsQuery = Static<typeof ProductsQuery>;
