import { Select, type SelectProps, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { platformKey } from '../../api/platform.ts';
import { createTenant, platformPlansQuery, type Tenant, updateTenant } from '../../api/tenants.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';

/** Creates a tenant and opens its page. */
export function NewTenantForm() {
  const navigate = useNavigate();
  const resource = useResourceForm({
    initialValues: { name: '', plan_code: 'free', owner_email: '' },
    submit: ({ owner_email, ...values }) => createTenant({ ...values, ...(owner_email !== '' && { owner_email }) }),
    invalidates: [platformKey('tenants', 'list')],
    onSaved: ({ id }) => navigate({ to: `/admin/tenants/${id}` } as object),
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Create tenant">
      <Stack gap="sm">
        <TextInput label="Name" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <PlanSelect {...form.getInputProps('plan_code')} />
        <TextInput
          label="Owner email"
          type="email"
          autoComplete="off"
          description="If the address has no account, we send an invitation. Leave this empty to add members later."
          {...form.getInputProps('owner_email')}
        />
      </Stack>
    </ResourceFormBody>
  );
}

interface EditTenantFormProps {
  readonly tenant: Tenant;
}

/** Changes the name and the plan of a tenant. */
export function EditTenantForm({ tenant }: EditTenantFormProps) {
  const resource = useResourceForm({
    initialValues: { name: tenant.name, plan_code: tenant.plan_code },
    submit: (values) => updateTenant(tenant.id, values),
    invalidates: [platformKey('tenants'), ['admin', tenant.id]],
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Save">
      <Stack gap="sm">
        <TextInput label="Name" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <PlanSelect
          description="The plan of a tenant with a subscription is set by its subscription."
          {...form.getInputProps('plan_code')}
        />
      </Stack>
    </ResourceFormBody>
  );
}

/** A field for a plan of the platform. */
function PlanSelect(props: Omit<SelectProps, 'data'>) {
  const { data: plans = [] } = useQuery(platformPlansQuery());
  // The present plan of a tenant may be archived or not loaded yet.
  const current = typeof props.value === 'string' ? [props.value] : [];
  const known = plans.filter(({ archived, code }) => !archived || current.includes(code));
  const missing = current.filter((code) => known.every((plan) => plan.code !== code));
  const data = [
    ...known.map(({ code, name }) => ({ value: code, label: name })),
    ...missing.map((code) => ({ value: code, label: code })),
  ];
  return <Select label="Plan" allowDeselect={false} data={data} {...props} />;
}
