import { Checkbox, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { type ApiKey, type ApiKeyScope, createApiKey, updateApiKey } from '../../api/credentials.ts';
import { keyOf } from '../../api/query-client.ts';
import { ProductOrAllInput } from '../../components/ChoiceInput.tsx';
import { ExpiryInput, expiryOf, expiryText } from '../../components/ExpiryInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import type { CredentialFormProps } from './CredentialScreen.tsx';

const networksMax = 100;
/** The service names the wrong network by its position; all of them are in one field. */
const fieldNames = Object.fromEntries(
  Array.from({ length: networksMax }, (_, index) => [`allowed_cidrs.${index}`, 'allowed_cidrs']),
);

function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '');
}

const newKey = {
  name: '',
  scopes: ['licenses:validate', 'activations:write', 'entitlements:check', 'usage:write'],
  product_id: null as string | null,
  expires_at: '',
  allowed_cidrs: '',
  rate_limit_per_minute: '' as number | string,
  rate_limit_per_address_per_minute: '' as number | string,
};

function valuesOf(apiKey: ApiKey): typeof newKey {
  return {
    name: apiKey.name,
    scopes: [...apiKey.scopes],
    product_id: apiKey.product_id,
    expires_at: apiKey.expires_at === null ? '' : expiryText(apiKey.expires_at),
    allowed_cidrs: apiKey.allowed_cidrs.join('\n'),
    rate_limit_per_minute: apiKey.rate_limit_per_minute ?? '',
    rate_limit_per_address_per_minute: apiKey.rate_limit_per_address_per_minute ?? '',
  };
}

interface ApiKeyFormProps extends Partial<CredentialFormProps> {
  /** The key that is changed; absent for a new one. */
  readonly apiKey?: ApiKey;
}

/** Creates an API key, or changes one. */
export function ApiKeyForm({ apiKey, onCreated }: ApiKeyFormProps) {
  const surface = useSurface();
  const before = apiKey && valuesOf(apiKey);
  const resource = useResourceForm({
    initialValues: before ?? newKey,
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name for the key.' : null),
      scopes: (chosen) => (chosen.length === 0 ? 'Choose at least one scope.' : null),
    },
    fieldNames,
    submit: async (values, idempotencyKey) => {
      const body = {
        name: values.name.trim(),
        scopes: scopes.flatMap(({ value }): ApiKeyScope[] => (values.scopes.includes(value) ? [value] : [])),
        product_id: values.product_id,
        allowed_cidrs: linesOf(values.allowed_cidrs),
        rate_limit_per_minute: numberOf(values.rate_limit_per_minute),
        rate_limit_per_address_per_minute: numberOf(values.rate_limit_per_address_per_minute),
      };
      // An end that was not changed may have passed.
      const end = values.expires_at === before?.expires_at ? {} : { expires_at: expiryOf(values.expires_at) };
      if (apiKey !== undefined) {
        await updateApiKey(surface, apiKey.id, { ...body, ...end });
        return null;
      }
      return (await createApiKey(surface, { ...body, expires_at: null, ...end }, idempotencyKey)).key;
    },
    // The dialog with the secret of a new key does not wait for the list.
    ...(onCreated === undefined ? { invalidates: [keyOf(surface)] } : { onSaved: onCreated }),
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel={apiKey === undefined ? 'Create API key' : 'Save changes'}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Name the application that uses this key, for example “Editor 5 for macOS”."
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label="Scopes" description="Choose what the key can do." {...form.getInputProps('scopes')}>
          <Stack gap="xs" mt="xs">
            {scopes.map(({ value, label, description }) => (
              <Checkbox key={value} value={value} label={label} description={description} size="sm" />
            ))}
          </Stack>
        </Checkbox.Group>
        <ProductOrAllInput
          description="Limit the key to the licenses of one product."
          {...form.getInputProps('product_id')}
        />
        <ExpiryInput
          description="Leave this empty if the key should work until you revoke it."
          {...form.getInputProps('expires_at')}
        />
        <Textarea
          label="Allowed CIDRs"
          description="Enter one network or IP address per line, for example 203.0.113.0/24. Leave this empty to allow every network."
          spellCheck={false}
          {...form.getInputProps('allowed_cidrs')}
        />
        <NumberInput
          label="Rate limit per minute"
          description="The most requests this key can send in a minute. Leave this empty to apply only the limit of your plan."
          min={1}
          allowDecimal={false}
          {...form.getInputProps('rate_limit_per_minute')}
        />
        <NumberInput
          label="Rate limit per address per minute"
          description="The most requests one device can send in a minute, so that a single device cannot use up the limit of the key."
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

/** The permissions of an API key with what they allow. */
export const scopes: readonly { readonly value: ApiKeyScope; readonly label: string; readonly description: string }[] =
  [
    {
      value: 'licenses:validate',
      label: 'Validate licenses',
      description: 'Check whether a license is valid, and get offline certificates.',
    },
    {
      value: 'activations:write',
      label: 'Write devices',
      description: 'Activate and release devices, and send heartbeats.',
    },
    {
      value: 'entitlements:check',
      label: 'Check entitlements',
      description: 'Read the entitlements that a license includes.',
    },
    { value: 'usage:write', label: 'Write usage', description: 'Report usage of metered entitlements.' },
    {
      value: 'releases:read',
      label: 'Download releases',
      description:
        'Find the newest release that a license permits, and get its files. New keys do not have this scope by default.',
    },
    {
      value: 'trials:create',
      label: 'Start trials',
      description:
        'Create a trial license for each device that requests one. New keys do not have this scope by default.',
    },
  ];
