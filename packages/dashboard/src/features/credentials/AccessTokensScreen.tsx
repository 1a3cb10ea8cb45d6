import { Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AccessToken, accessTokensQuery, createAccessToken, revokeAccessToken } from '../../api/credentials.ts';
import type { Column } from '../../components/DataTable.tsx';
import { ExpiryInput, expiryOf } from '../../components/ExpiryInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { AppWindow } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { type CredentialFormProps, type CredentialKind, CredentialScreen } from './CredentialScreen.tsx';
import { accessTokenSearch } from './search.ts';

const kind: CredentialKind = {
  resource: 'access-tokens',
  name: 'access token',
  short: 'token',
  secretLabel: 'access token',
  icon: AppWindow,
  title: 'Access tokens',
  description: 'Your own programs manage this tenant with these tokens.',
  purpose:
    'Programs such as your shop manage this tenant with an access token. A token belongs to the tenant, not to a person. It has no access to members, access tokens, billing or accounts.',
  user: 'program',
  usage: (
    <>
      Your program sends it as <code>Authorization: Bearer …</code>, without <code>X-Tenant-ID</code>.
    </>
  ),
};

const columns: readonly Column<AccessToken>[] = [
  { header: 'Role', isSecondary: true, cell: ({ role }) => words(role) },
];

/** Lists the access tokens of the tenant, creates and revokes them. */
export default function AccessTokensScreen(): ReactNode {
  const [{ panel: _panel, ...search }, , filters] = useFilters(accessTokenSearch, 'status', 'created_by');
  return (
    <CredentialScreen
      kind={kind}
      query={useQuery(accessTokensQuery(useSurface(), search))}
      filters={filters}
      noMatch={{ title: 'No access tokens match', description: 'Change the filters or reset them.' }}
      columns={columns}
      revoke={revokeAccessToken}
      renderForm={(props) => <AccessTokenForm {...props} />}
    />
  );
}

const initialValues: { name: string; role: AccessToken['role']; expires_at: string } = {
  name: '',
  role: 'viewer',
  expires_at: '',
};

/** Creates an access token. */
function AccessTokenForm({ onCreated }: CredentialFormProps) {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues,
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name for the token.' : null) },
    submit: ({ name, role, expires_at }, idempotencyKey) =>
      createAccessToken(surface, { name: name.trim(), role, expires_at: expiryOf(expires_at) }, idempotencyKey),
    onSaved: ({ token }) => onCreated(token),
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Create access token">
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Name the program that uses this token, for example “Shop” or “Nightly report”."
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="viewer"
              label="Viewer"
              description="Can read products, licenses, usage, webhooks and the audit log."
              size="sm"
            />
            <Radio
              value="support"
              label="Support"
              description="Can change licenses, devices and customers, and can read the catalog. Nothing else."
              size="sm"
            />
            <Radio
              value="admin"
              label="Admin"
              description="Can also change them, and can issue licenses and API keys."
              size="sm"
            />
          </Stack>
        </Radio.Group>
        <ExpiryInput
          description="Leave this empty if the token should work until you revoke it."
          {...form.getInputProps('expires_at')}
        />
      </Stack>
    </ResourceFormBody>
  );
}
