import { Checkbox, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Ticket } from 'lucide-react';
import type { ReactNode } from 'react';
import { type ApiKey, type ApiKeyScope, apiKeysQuery, createApiKey, revokeApiKey } from '../../api/credentials.ts';
import type { Column } from '../../components/DataTable.tsx';
import { ExpiryInput, expiryOf } from '../../components/ExpiryInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { type CredentialFormProps, type CredentialKind, CredentialScreen } from './CredentialScreen.tsx';
import { apiKeySearch } from './search.ts';

const kind: CredentialKind = {
  resource: 'api-keys',
  name: 'API key',
  short: 'key',
  secretLabel: 'API key',
  icon: Ticket,
  title: 'API keys',
  description: 'What your applications send to the Integration API.',
  purpose:
    'Your applications identify themselves to the Integration API with an API key. Give each application its own key, so that you can revoke one without stopping the others.',
  user: 'application',
  usage: (
    <>
      Your application sends it in the header <code>X-API-Key</code>. If it gets lost, create another and revoke this
      one.
    </>
  ),
};

const columns: readonly Column<ApiKey>[] = [
  { header: 'Scopes', isSecondary: true, cell: ({ scopes }) => scopesInWords(scopes) },
  {
    header: 'Restrictions',
    isSecondary: true,
    cell: (apiKey) => <span title={apiKey.allowed_cidrs.join(', ') || undefined}>{restrictionsOf(apiKey)}</span>,
  },
];

/** Lists the API keys of the tenant, creates and revokes them. */
export function ApiKeysScreen(): ReactNode {
  const [{ panel, ...filters }, change] = useFilters(apiKeySearch);
  const { status } = filters;
  return (
    <CredentialScreen
      kind={kind}
      query={useQuery(apiKeysQuery(useSurface(), filters))}
      search={{ ...filters, ...(panel && { panel }) }}
      change={change}
      isFiltered={status !== undefined}
      onReset={() => void change({ status: undefined })}
      noMatch={{ title: `No API key is ${status}`, description: 'Choose another status.' }}
      columns={columns}
      revoke={revokeApiKey}
      renderForm={(props) => <ApiKeyForm {...props} />}
    />
  );
}

/** Returns where and how often a key may be used: "2 networks, 600 per minute". */
function restrictionsOf(apiKey: ApiKey): string {
  const { allowed_cidrs: networks, rate_limit_per_minute: all, rate_limit_per_address_per_minute: each } = apiKey;
  const parts = [
    ...(networks.length > 0 ? [count(networks.length, 'network')] : []),
    ...(all !== null ? [`${formatNumber(all)} per minute`] : []),
    ...(each !== null ? [`${formatNumber(each)} per minute and address`] : []),
  ];
  return parts.length === 0 ? 'None' : parts.join(', ');
}

const networksMax = 100;
/** The service names the wrong network by its position; all of them are in one field. */
const fieldNames = Object.fromEntries(
  Array.from({ length: networksMax }, (_, index) => [`allowed_cidrs.${index}`, 'allowed_cidrs']),
);

function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '');
}

/** Creates an API key. */
function ApiKeyForm({ surface, onUnsaved, onCancel, onCreated }: CredentialFormProps) {
  const resource = useResourceForm({
    initialValues: {
      name: '',
      scopes: scopes.map(({ value }): string => value).filter((value) => value !== 'trials:create'),
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
    onUnsaved,
  });
  const { form } = resource;
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
        <ExpiryInput
          description="Leave it empty if the key works until you revoke it."
          {...form.getInputProps('expires_at')}
        />
        <Textarea
          label="Allowed CIDRs"
          description="Enter one network or address per line, such as 203.0.113.0/24. Leave it empty to allow all networks."
          spellCheck={false}
          {...form.getInputProps('allowed_cidrs')}
        />
        <NumberInput
          label="Rate limit per minute"
          description="How many requests this key may make. Leave it empty if only the limit of your plan applies."
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

/** The permissions of an API key with what they allow. */
const scopes: readonly { readonly value: ApiKeyScope; readonly label: string; readonly description: string }[] = [
  { value: 'licenses:validate', label: 'Validate licenses', description: 'Verdicts and offline certificates.' },
  {
    value: 'activations:write',
    label: 'Write activations',
    description: 'Activate, send heartbeats and deactivate.',
  },
  { value: 'entitlements:check', label: 'Check entitlements', description: 'Read what a license grants.' },
  { value: 'usage:write', label: 'Write usage', description: 'Report the use of metered entitlements.' },
  {
    value: 'trials:create',
    label: 'Start trials',
    description: 'Create a license of the trial policy for each device that asks. Not part of a new key by default.',
  },
];

/** Returns what a key may do, for a column: "All" or the names. */
function scopesInWords(granted: readonly ApiKeyScope[]): string {
  if (granted.length === scopes.length) return 'All';
  return scopes
    .filter(({ value }) => granted.includes(value))
    .map(({ label }) => label)
    .join(', ');
}
