import { Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { keyOf } from '../../api/query-client.ts';
import type { Product, ProductInput } from '../../api/tenant-catalog.ts';
import { PolicyInput } from '../../components/ChoiceInput.tsx';
import { NameAndCode } from '../../components/CodeField.tsx';
import { JsonEditor, parseJsonField } from '../../components/JsonEditor.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { StorageFields, type StorageValues, storageInput, storageValues } from './StorageFields.tsx';

interface ProductValues extends Record<string, unknown>, StorageValues {
  readonly name: string;
  readonly code: string;
  readonly description: string;
  readonly platforms: string[];
  readonly renewal_url: string;
  readonly trial_policy_id: string | null;
  readonly metadata: string;
}

interface ProductFormProps {
  /** The product to change; absent for a new one. */
  readonly product?: Product;
  readonly submitLabel: string;
  readonly submit: (input: ProductInput, idempotencyKey: string) => Promise<Product>;
  /** Runs after a success; without it, the drawer closes. */
  readonly onSaved?: (product: Product) => unknown;
}

const empty: ProductValues = {
  name: '',
  code: '',
  description: '',
  platforms: [],
  renewal_url: '',
  trial_policy_id: null,
  metadata: '{}',
  ...storageValues(undefined),
};

function valuesOf(product: Product): ProductValues {
  const { name, code, description, platforms, renewal_url, trial_policy_id, metadata } = product;
  const texts = { description: description ?? '', renewal_url: renewal_url ?? '', trial_policy_id };
  return { name, code, ...texts, platforms, metadata: JSON.stringify(metadata, null, 2), ...storageValues(product) };
}

function inputOf({ name, code, description, platforms, renewal_url, metadata }: ProductValues): ProductInput {
  return {
    name: name.trim(),
    code,
    description: description.trim() === '' ? null : description.trim(),
    platforms,
    renewal_url: renewal_url.trim() === '' ? null : renewal_url.trim(),
    metadata: parseJsonField(metadata),
  };
}

/** The fields of a product. */
export function ProductForm({ product, submitLabel, submit, onSaved }: ProductFormProps) {
  const resource = useResourceForm<ProductValues, Product>({
    initialValues: product === undefined ? empty : valuesOf(product),
    submit: (values, idempotencyKey) => {
      const { trial_policy_id } = values;
      const later = { trial_policy_id, download_storage: storageInput(values) };
      return submit({ ...inputOf(values), ...(product !== undefined && later) }, idempotencyKey);
    },
    invalidates: [keyOf(useSurface(), 'products')],
    ...(onSaved && { onSaved }),
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel={submitLabel}>
      <Stack gap="md">
        <NameAndCode
          form={form}
          isNew={product === undefined}
          codeDescription="Applications send this code when they validate a license."
          namePlaceholder="Photo Editor"
        />
        <Textarea label="Description" maxLength={2000} {...form.getInputProps('description')} />
        <TagsInput
          label="Platforms"
          description="Enter names of your choice, such as macOS, and press Enter after each."
          data={['windows', 'macos', 'linux', 'ios', 'android', 'web']}
          size="sm"
          {...form.getInputProps('platforms')}
        />
        <TextInput
          label="Renewal page"
          description="The portal links customers to this page to renew. {license_id} is replaced by the ID of the license."
          placeholder="https://example.com/renew?license={license_id}"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('renewal_url')}
        />
        {product !== undefined && (
          <PolicyInput
            label="Trial policy"
            productId={product.id}
            clearable
            {...form.getInputProps('trial_policy_id')}
            description="Applications can start trials of this policy without a license key. Leave this empty to offer no trials."
          />
        )}
        {product !== undefined && <StorageFields form={form} hasSecret={product.download_storage !== null} />}
        <JsonEditor
          label="Metadata"
          description="Store your own data about the product, as JSON."
          {...form.getInputProps('metadata')}
        />
      </Stack>
    </ResourceFormBody>
  );
}
