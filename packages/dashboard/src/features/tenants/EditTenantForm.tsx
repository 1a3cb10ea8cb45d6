import { Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { platformKey } from '../../api/platform.ts';
import { type Tenant, updateTenant } from '../../api/tenants.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { PlanSelect } from './PlanSelect.tsx';

interface EditTenantFormProps {
  readonly tenant: Tenant;
  readonly onDone: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

/** Changes the name and the plan of a tenant. */
export function EditTenantForm({ tenant, onDone, onUnsaved }: EditTenantFormProps) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { name: tenant.name, plan_code: tenant.plan_code },
    submit: (values) => updateTenant(tenant.id, values),
    onSaved: async () => {
      await client.invalidateQueries({ queryKey: platformKey('tenants') });
      await client.invalidateQueries({ queryKey: ['admin', tenant.id] });
      onDone();
    },
  });
  const { form } = resource;
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel="Save" onCancel={onDone}>
      <Stack gap="sm">
        <TextInput label="Name" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <PlanSelect
          description="While a subscription runs, it determines the plan."
          {...form.getInputProps('plan_code')}
        />
      </Stack>
    </ResourceFormBody>
  );
}
