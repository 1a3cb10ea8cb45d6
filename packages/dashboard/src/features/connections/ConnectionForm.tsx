import { Switch, TextInput } from '@mantine/core';
import { type Connection, connectionsKey, updateConnection } from '../../api/connections.ts';
import { PasswordField } from '../../components/PasswordField.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { shops } from './shops.ts';

interface ConnectionFormProps {
  readonly connection: Connection;
}

/** The name, the secrets and the nightly comparison of a connection. An empty secret keeps the stored one. */
export function ConnectionForm({ connection }: ConnectionFormProps) {
  const surface = useSurface();
  const { provider, has_signing_secret, has_api_key } = connection;
  const { secret, apiKey } = shops[provider];
  const resource = useResourceForm({
    initialValues: {
      name: connection.name,
      signing_secret: '',
      api_key: '',
      compares_itself: connection.compares_itself,
    },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name.' : null) },
    submit: ({ name, signing_secret, api_key, compares_itself }) =>
      updateConnection(surface, connection.id, {
        name: name.trim(),
        ...(signing_secret.trim() !== '' && { signing_secret: signing_secret.trim() }),
        ...(api_key.trim() !== '' && { api_key: api_key.trim() }),
        ...(compares_itself !== connection.compares_itself && { compares_itself }),
      }),
    invalidates: [connectionsKey(surface)],
  });
  const { form } = resource;
  const stored = (isStored: boolean, placeholder = '') =>
    isStored ? 'Stored. Enter a new one to replace it.' : placeholder;
  const mayCompare = apiKey !== null && (has_api_key || form.getValues().api_key.trim() !== '');
  return (
    <ResourceFormBody resource={resource} submitLabel="Save connection">
      <TextInput label="Name" maxLength={100} required data-autofocus {...form.getInputProps('name')} />
      {(secret !== null || provider === 'custom') && (
        <PasswordField
          label="Signing secret"
          description={
            secret?.description ??
            'Your shop signs with it: whsec_ and at least 24 bytes in base64. A new secret replaces the current one immediately.'
          }
          placeholder={stored(has_signing_secret, secret?.placeholder)}
          autoComplete="off"
          {...form.getInputProps('signing_secret')}
        />
      )}
      {apiKey !== null && (
        <PasswordField
          label={apiKey.isRequired ? 'Access token' : 'API key'}
          description={apiKey.description}
          placeholder={stored(has_api_key, apiKey.placeholder)}
          autoComplete="off"
          {...form.getInputProps('api_key')}
        />
      )}
      {apiKey !== null && (
        <Switch
          label="Correct differences without asking"
          description="With an API key, the service compares the shop’s sales with the licenses every night. Turn this on to apply the differences automatically. Otherwise they are listed for you."
          disabled={!mayCompare}
          {...form.getInputProps('compares_itself', { type: 'checkbox' })}
        />
      )}
    </ResourceFormBody>
  );
}
