import { Checkbox, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { type ApiKeyScope, createApiKey } from '../../api/credentials.ts';
import { ExpiryInput, expiryOf } from '../../components/ExpiryInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import type { CredentialFormProps } from './CredentialScreen.tsx';
import { scopes } from './scopes.ts';

const networksMax = 100;
/** The service names the wrong network by its position; all of them are in one field. */
const fieldNames = Object.fromEntries(
  Array.from({ length: networksMax }, (_, index) => [`allowed_cidrs.${index}`, 'allowed_cidrs']),
);

function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '');
}

/** Creates an API key. */
export function ApiKeyForm({ surface, onUnsaved, onCancel, onCreated }: CredentialFormProps) {
  const resource = useResourceForm({
    initialValues: {
      name: '',
      scopes: scopes.map(({ value }): string => value),
      expires_at: '',
      allowed_cidrs: '',
      rate_limit_per_minute: '' as number | string,
      rate_limit_per_address_per_minute: '' as number | string,
    },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name by which you recognise the key.' : null),
      scopes: (chosen) => (chosen.length === 0 ? 'Choose at least one scope.' : null),
    },
    fieldNames,
    submit: (values, idempotencyKey) =>
      createApiKey(
        surface,
        {
          name: values.name.trim(),
          scopes: scopes.flatMap(({ value }): ApiKeyScope[] => (values.scopes.includes(value) ? [value] : [])),
          expires_at: expiryOf(values.expires_at),
          allowed_cidrs: linesOf(values.allowed_cidrs),
          rate_limit_per_minute: numberOf(values.rate_limit_per_minute),
          rate_limit_per_address_per_minute: numberOf(values.rate_limit_per_address_per_minute),
        },
        idempotencyKey,
      ),
    onSaved: ({ key }) => onCreated(key),
  });
  const { form } = resource;
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel="Create API key" onCancel={onCancel}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="The application that uses the key, such as “Editor 5 for macOS”."
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label="Scopes" description="What the key may do." {...form.getInputProps('scopes')}>
          <Stack gap="xs" mt="xs">
            {scopes.map(({ value, label, description }) => (
              <Checkbox key={value} value={value} label={label} description={description} size="sm" />
            ))}
          </Stack>
        </Checkbox.Group>
        <ExpiryInput description="Empty: the key works until you revoke it." {...form.getInputProps('expires_at')} />
        <Textarea
          label="Allowed CIDRs"
          description="One network or address per line, such as 203.0.113.0/24. Empty: all networks."
          spellCheck={false}
          {...form.getInputProps('allowed_cidrs')}
        />
        <NumberInput
          label="Rate limit per minute"
          description="Requests with this key. Empty: only the limit of your plan applies."
          min={1}
          allowDecimal={false}
          {...form.getInputProps('rate_limit_per_minute')}
        />
        <NumberInput
          label="Rate limit per address per minute"
          description="Requests of one device. It keeps one copy of a shipped application from using up the limit of all."
          min={1}
          allowDecimal={false}
          {...form.getInputProps('rate_limit_per_address_per_minute')}
        />
      </Stack>
    </ResourceFormBody>
  );
}

function numberOf(value: number | string): number | null {
  return typeof value === 'number' ? value : null;
}
