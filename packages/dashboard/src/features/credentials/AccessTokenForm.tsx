import { Radio, Stack, TextInput } from '@mantine/core';
import { createAccessToken } from '../../api/credentials.ts';
import { ExpiryInput, expiryOf } from '../../components/ExpiryInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import type { CredentialFormProps } from './CredentialScreen.tsx';

/** Creates an access token. */
export function AccessTokenForm({ surface, onUnsaved, onCancel, onCreated }: CredentialFormProps) {
  const resource = useResourceForm({
    initialValues: { name: '', role: 'viewer', expires_at: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name that says what the token is for.' : null) },
    submit: ({ name, role, expires_at }, idempotencyKey) =>
      createAccessToken(
        surface,
        { name: name.trim(), role: role === 'admin' ? 'admin' : 'viewer', expires_at: expiryOf(expires_at) },
        idempotencyKey,
      ),
    onSaved: ({ token }) => onCreated(token),
  });
  const { form } = resource;
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel="Create access token" onCancel={onCancel}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="The program that uses the token, such as “Shop” or “Nightly report”."
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="viewer"
              label="Viewer"
              description="Reads products, licenses, usage, webhooks and the audit log."
              size="sm"
            />
            <Radio
              value="admin"
              label="Admin"
              description="Reads and writes them, and issues licenses and API keys."
              size="sm"
            />
          </Stack>
        </Radio.Group>
        <ExpiryInput description="Empty: the token works until you revoke it." {...form.getInputProps('expires_at')} />
      </Stack>
    </ResourceFormBody>
  );
}
