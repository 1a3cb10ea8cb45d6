import { Select, Stack, Text } from '@mantine/core';
import { type ApiKey, rotateApiKey } from '../../api/credentials.ts';
import { ExpiryInput, expiryOf } from '../../components/ExpiryInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import type { CredentialFormProps } from './CredentialScreen.tsx';

/** How long both keys work, in seconds. */
const overlaps = [
  { value: '0', label: 'The old key ends now' },
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: 'One week' },
  { value: '2592000', label: '30 days' },
  { value: '15552000', label: '180 days' },
];

interface ApiKeyReplacementProps extends CredentialFormProps {
  readonly apiKey: ApiKey;
}

/** Creates a key that replaces another, which works on for a while. */
export function ApiKeyReplacement({ apiKey, onCreated }: ApiKeyReplacementProps) {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues: { overlap: '86400', expires_at: '' },
    submit: ({ overlap, expires_at }, idempotencyKey) => {
      const body = { overlap_seconds: Number(overlap), expires_at: expiryOf(expires_at) };
      return rotateApiKey(surface, apiKey.id, body, idempotencyKey);
    },
    onSaved: ({ key }) => onCreated(key),
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Replace API key">
      <Stack gap="md">
        <Text size="sm">
          The new key gets the name, the scopes and the limits of <b>{apiKey.name}</b> (
          <code style={{ whiteSpace: 'nowrap' }}>{apiKey.hint}</code>).
        </Text>
        <Select
          label="Both keys work for"
          description="Update every application in this time. Afterwards the old key is refused."
          data={overlaps}
          allowDeselect={false}
          {...form.getInputProps('overlap')}
        />
        <ExpiryInput
          label="The new key expires at"
          description="Leave this empty if the new key should work until you revoke it."
          {...form.getInputProps('expires_at')}
        />
      </Stack>
    </ResourceFormBody>
  );
}
