import { Text } from '@mantine/core';
import { convertLicense, type License, licensesKey } from '../../api/licenses.ts';
import { keyOf } from '../../api/query-client.ts';
import { PolicyInput } from '../../components/ChoiceInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';

/** Gives a trial license the policy that was bought. */
export function ConvertForm({ license }: { readonly license: License }) {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues: { policy_id: null as string | null },
    validate: { policy_id: (id) => (id === null ? 'Choose the policy that was bought.' : null) },
    submit: ({ policy_id }, key) => convertLicense(surface, license.id, { policy_id: policy_id ?? '' }, key),
    invalidates: [licensesKey(surface), keyOf(surface, 'audit-logs')],
  });
  return (
    <ResourceFormBody resource={resource} submitLabel="Convert trial">
      <Text>
        The key and the devices stay, so the application continues without a new key. The term of the policy starts now.
      </Text>
      <PolicyInput
        label="Policy"
        productId={license.product_id}
        {...resource.form.getInputProps('policy_id')}
        required
      />
    </ResourceFormBody>
  );
}
