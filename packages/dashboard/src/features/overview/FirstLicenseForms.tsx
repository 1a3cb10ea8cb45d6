import { Group, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { createApiKey } from '../../api/credentials.ts';
import { createLicense } from '../../api/licenses.ts';
import { createPolicy, createProduct } from '../../api/tenant-catalog.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useMe } from '../../shell/SignedIn.tsx';
import type { Surface } from '../../surfaces.ts';
import { codeOf, policyTemplates } from './first-license.ts';

// Each form can be sent as it is, so that a newcomer only has to click.

interface StepFormProps {
  readonly surface: Surface;
  readonly onSaved: () => unknown;
}

/** The warning about unsaved input would stop a newcomer who looks around, and there is little to lose. */
const withoutWarning = { isUnsaved: false } as const;

/** Creates the first product; the name is all that it needs. */
export function FirstProductForm({ surface, onSaved }: StepFormProps) {
  const resource = useResourceForm({
    initialValues: { name: 'My app' },
    fieldNames: { code: 'name' },
    submit: ({ name }, key) => createProduct(surface, { name, code: codeOf(name) }, key),
    onSaved,
  });
  return (
    <ResourceFormBody resource={{ ...resource, ...withoutWarning }} submitLabel="Create product">
      <TextInput
        label="Name"
        description="The application that you sell. You can rename it at any time."
        {...resource.form.getInputProps('name')}
      />
    </ResourceFormBody>
  );
}

/** Creates the first policy from a license model. */
export function FirstPolicyForm({ surface, productId, onSaved }: StepFormProps & { readonly productId: string }) {
  const resource = useResourceForm({
    initialValues: { template: policyTemplates[0]?.id ?? '' },
    submit: ({ template }, key) => {
      const chosen = policyTemplates.find(({ id }) => id === template);
      if (chosen === undefined) throw new Error(`There is no license model ${template}.`);
      return createPolicy(surface, { ...chosen.fields, product_id: productId }, key);
    },
    onSaved,
  });
  return (
    <ResourceFormBody resource={{ ...resource, ...withoutWarning }} submitLabel="Create policy">
      <Radio.Group label="License model" {...resource.form.getInputProps('template')}>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xs" mt={4}>
          {policyTemplates.map(({ id, title, summary }) => (
            <Radio.Card
              key={id}
              value={id}
              p="sm"
              radius="md"
              style={{ display: 'flex', alignItems: 'flex-start' }}
              aria-label={`${title}: ${summary}`}
            >
              <Group wrap="nowrap" align="flex-start" gap="xs">
                <Radio.Indicator size="xs" mt={2} />
                <Stack gap={2}>
                  <Text fw={500}>{title}</Text>
                  <Hint>{summary}</Hint>
                </Stack>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
    </ResourceFormBody>
  );
}

/** Issues the first license to the current user. */
export function FirstLicenseForm({ surface, policyId, onSaved }: StepFormProps & { readonly policyId: string }) {
  const { user } = useMe();
  const resource = useResourceForm({
    initialValues: { holder_name: user?.name ?? '' },
    fieldNames: { 'holder.name': 'holder_name', holder: 'holder_name' },
    submit: ({ holder_name: name }, key) =>
      createLicense(surface, { policy_id: policyId, ...(name !== '' && { holder: { name } }) }, key),
    onSaved,
  });
  return (
    <ResourceFormBody resource={{ ...resource, ...withoutWarning }} submitLabel="Issue license">
      <TextInput
        label="Customer name"
        description="The customer. Your own name will do for a test."
        {...resource.form.getInputProps('holder_name')}
      />
    </ResourceFormBody>
  );
}

interface FirstKeyFormProps {
  readonly surface: Surface;
  readonly hint?: string;
  readonly onCreated: (key: string) => void;
}

/** Creates an API key and hands the raw key to the caller, who shows it once. */
export function FirstKeyForm({ surface, hint, onCreated }: FirstKeyFormProps) {
  const resource = useResourceForm({
    initialValues: { name: 'First test' },
    submit: ({ name }, key) => createApiKey(surface, { name }, key),
    onSaved: ({ key }) => {
      if (key !== null) onCreated(key);
    },
  });
  return (
    <ResourceFormBody resource={{ ...resource, ...withoutWarning }} submitLabel="Create API key">
      <TextInput
        label="Key name"
        description={hint ?? 'Your application identifies itself with the key.'}
        {...resource.form.getInputProps('name')}
      />
    </ResourceFormBody>
  );
}
