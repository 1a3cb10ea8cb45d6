import { Anchor, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createLicense, licensesKey, policyChoiceQuery } from '../../api/licenses.ts';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { PolicyInput, ProductInput } from './ChoiceInput.tsx';
import { changesOf, emptyValues, validations } from './form-values.ts';
import { LicenseFields } from './LicenseFields.tsx';

interface NewLicenseProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Issues a license and opens its page. */
export function NewLicense({ isOpen, onClose }: NewLicenseProps) {
  return (
    <FormDrawer title="New license" isOpen={isOpen} onClose={onClose} size="xl">
      {(onUnsaved) => <NewLicenseForm onUnsaved={onUnsaved} onCancel={onClose} />}
    </FormDrawer>
  );
}

interface NewLicenseFormProps {
  readonly onUnsaved: (isUnsaved: boolean) => void;
  readonly onCancel: () => void;
}

const initialValues = { ...emptyValues, product_id: null as string | null, policy_id: null as string | null, key: '' };

function NewLicenseForm({ onUnsaved, onCancel }: NewLicenseFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const resource = useResourceForm({
    initialValues,
    validate: { ...validations, policy_id: (id) => (id === null ? 'Choose the policy of the license.' : null) },
    submit: ({ policy_id, key, ...values }, idempotencyKey) => {
      const own = key.trim();
      const fields = changesOf(values, emptyValues);
      const defaults = { max_activations: null, entitlements: [], metadata: {} };
      const body = { ...defaults, ...fields, policy_id: policy_id ?? '', ...(own !== '' && { key: own }) };
      return createLicense(surface, body, idempotencyKey);
    },
    onSaved: async ({ id }) => {
      await navigate(`/licenses/${id}`);
      await client.invalidateQueries({ queryKey: licensesKey(surface) });
    },
  });
  const { form } = resource;
  const { product_id: productId, policy_id: policyId } = form.getValues();
  const { data: policy } = useQuery({ ...policyChoiceQuery(surface, policyId ?? ''), enabled: policyId !== null });
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel="Create license" onCancel={onCancel}>
      <ProductInput
        label="Product"
        placeholder="All products"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear Product' }}
        value={productId}
        onChange={(id) => form.setValues({ product_id: id, policy_id: null })}
        data-autofocus
        openOnFocus={false}
      />
      <PolicyInput
        label="Policy"
        placeholder="Choose the terms"
        withAsterisk
        productId={productId ?? undefined}
        {...form.getInputProps('policy_id')}
      />
      <Text size="sm" c="dimmed" mt={-8}>
        The policy sets the term, the limits and the entitlements.{' '}
        <Anchor component={PathLink} to={pathOn(surface, '/policies')} inherit underline="always">
          Policies
        </Anchor>
      </Text>
      <TextInput
        label="Key"
        description="Empty: the service generates a key."
        placeholder="Generated"
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('key')}
      />
      <LicenseFields
        form={form}
        policyLimit={policy?.max_activations}
        emptyDate="An empty date follows from the policy; the license starts now."
      />
    </ResourceFormBody>
  );
}
