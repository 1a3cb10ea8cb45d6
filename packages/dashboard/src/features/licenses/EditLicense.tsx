import { useQuery, useQueryClient } from '@tanstack/react-query';
import { policyChoiceQuery } from '../../api/license-choices.ts';
import { type License, licensesKey, updateLicense } from '../../api/licenses.ts';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { PolicyInput } from './ChoiceInput.tsx';
import { changesOf, validations, valuesOf } from './form-values.ts';
import { LicenseFields } from './LicenseFields.tsx';

interface EditLicenseProps {
  readonly license: License;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Changes the fields of a license. */
export function EditLicense({ license, isOpen, onClose }: EditLicenseProps) {
  return (
    <FormDrawer title="Edit license" isOpen={isOpen} onClose={onClose} size="xl">
      {(onUnsaved) => <EditLicenseForm license={license} onUnsaved={onUnsaved} onClose={onClose} />}
    </FormDrawer>
  );
}

interface EditLicenseFormProps {
  readonly license: License;
  readonly onUnsaved: (isUnsaved: boolean) => void;
  readonly onClose: () => void;
}

function EditLicenseForm({ license, onUnsaved, onClose }: EditLicenseFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const before = valuesOf(license);
  const resource = useResourceForm({
    initialValues: { ...before, policy_id: license.policy_id as string | null },
    validate: { ...validations, policy_id: (id) => (id === null ? 'Choose the policy of the license.' : null) },
    submit: ({ policy_id, ...values }) =>
      updateLicense(surface, license.id, {
        ...changesOf(values, before),
        ...(policy_id !== null && policy_id !== license.policy_id && { policy_id }),
      }),
    onSaved: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: licensesKey(surface) });
    },
  });
  const { form } = resource;
  const policyId = form.getValues().policy_id;
  const { data: policy } = useQuery({ ...policyChoiceQuery(surface, policyId ?? ''), enabled: policyId !== null });
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel="Save license" onCancel={onClose}>
      <PolicyInput label="Policy" withAsterisk productId={license.product_id} {...form.getInputProps('policy_id')} />
      <LicenseFields
        form={form}
        policyLimit={policy?.max_activations}
        emptyDate="An empty end means that the license never ends."
      />
    </ResourceFormBody>
  );
}
