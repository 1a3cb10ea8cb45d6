import { Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { platformKey } from '../../api/platform.ts';
import { createTenant } from '../../api/tenants.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { PlanSelect } from './PlanSelect.tsx';

interface NewTenantFormProps {
  readonly onCancel: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

/** Creates a tenant and opens its page. */
export function NewTenantForm({ onCancel, onUnsaved }: NewTenantFormProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const resource = useResourceForm({
    initialValues: { name: '', plan_code: 'free', owner_email: '' },
    submit: ({ owner_email, ...values }) => createTenant({ ...values, ...(owner_email !== '' && { owner_email }) }),
    onSaved: async ({ id }) => {
      await client.invalidateQueries({ queryKey: platformKey('tenants', 'list') });
      await navigate({ to: `/admin/tenants/${id}` } as object);
    },
  });
  const { form } = resource;
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel="Create tenant" onCancel={onCancel}>
      <Stack gap="sm">
        <TextInput label="Name" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <PlanSelect {...form.getInputProps('plan_code')} />
        <TextInput
          label="Owner email"
          type="email"
          autoComplete="off"
          description="An address without an account is invited by mail. Leave it empty to add members later."
          {...form.getInputProps('owner_email')}
        />
      </Stack>
    </ResourceFormBody>
  );
}
