import { Radio, Stack, Textarea } from '@mantine/core';
import type { Entitlement, EntitlementInput } from '../../api/entitlements.ts';
import { NameAndCode } from '../../components/CodeField.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';

interface EntitlementValues extends Record<string, unknown> {
  readonly name: string;
  readonly code: string;
  readonly type: Entitlement['type'];
  readonly description: string;
}

interface EntitlementFormProps {
  /** The entitlement to change; absent for a new one. */
  readonly entitlement?: Entitlement;
  readonly submitLabel: string;
  readonly submit: (input: EntitlementInput, idempotencyKey: string) => Promise<Entitlement>;
  readonly onSaved: (entitlement: Entitlement) => unknown;
  readonly onCancel: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

const types = [
  { value: 'boolean', label: 'Boolean', description: 'On or off: a feature such as PDF export.' },
  { value: 'value', label: 'Value', description: 'A number or a text: such as 10 projects.' },
  { value: 'metered', label: 'Metered', description: 'A counted quantity: such as 1,000 renders a month.' },
] as const;

/** The fields of an entitlement. Code and type of an existing one are fixed, because shipped software relies on them. */
export function EntitlementForm(props: EntitlementFormProps) {
  const { entitlement, submitLabel, submit, onSaved, onCancel, onUnsaved } = props;
  const isNew = entitlement === undefined;
  const resource = useResourceForm<EntitlementValues, Entitlement>({
    initialValues: {
      name: entitlement?.name ?? '',
      code: entitlement?.code ?? '',
      type: entitlement?.type ?? 'boolean',
      description: entitlement?.description ?? '',
    },
    submit: ({ name, code, type, description }, key) =>
      submit({ name: name.trim(), code, type, description: description.trim() || null }, key),
    onSaved,
  });
  const { form } = resource;
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel={submitLabel} onCancel={onCancel}>
      <Stack gap="md">
        <NameAndCode
          form={form}
          isNew={isNew}
          isCodeFixed={!isNew}
          codeDescription="Your software asks for the entitlement by this code. It cannot be changed later."
          namePlaceholder="PDF export"
        />
        <Radio.Group
          label="Type"
          {...(isNew && { description: 'It cannot be changed later.' })}
          {...form.getInputProps('type')}
        >
          <Stack gap="xs" mt="xs">
            {types.map((type) => (
              <Radio key={type.value} {...type} disabled={!isNew && type.value !== entitlement.type} />
            ))}
          </Stack>
        </Radio.Group>
        <Textarea label="Description" maxLength={2000} {...form.getInputProps('description')} />
      </Stack>
    </ResourceFormBody>
  );
}
