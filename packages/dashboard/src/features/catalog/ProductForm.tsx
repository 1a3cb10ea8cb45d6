import { Textarea, TextInput } from '@mantine/core';
import { type CatalogProduct, commerceKey, createCatalogProduct, updateCatalogProduct } from '../../api/commerce.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';

interface ProductFormProps {
  /** Null for a new product. */
  readonly product: CatalogProduct | null;
}

/** The form of a catalog product. */
export function ProductForm({ product }: ProductFormProps) {
  const isReadOnly = !useWritesPlatform();
  const resource = useResourceForm({
    initialValues: { name: product?.name ?? '', code: product?.code ?? '', description: product?.description ?? '' },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name.' : null),
      code: (value) => (/^[a-z0-9-]{1,64}$/.test(value) ? null : 'Use lowercase letters, digits and hyphens.'),
    },
    submit: ({ name, code, description }) => {
      const body = { name: name.trim(), code, description: description.trim() || null };
      return product === null ? createCatalogProduct(body) : updateCatalogProduct(product.id, body);
    },
    invalidates: [commerceKey],
  });
  const { form } = resource;
  return (
    <ResourceFormBody
      isReadOnly={isReadOnly}
      resource={resource}
      submitLabel={product === null ? 'Create catalog product' : 'Save'}
    >
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <TextInput label="Code" required {...form.getInputProps('code')} />
      <Textarea
        label="Description"
        description="Only admins see this description."
        {...form.getInputProps('description')}
      />
    </ResourceFormBody>
  );
}
