import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { adminAccountQuery, updateAdminAccount } from '../../api/admin-account.ts';
import { meQuery } from '../../api/me.ts';
import type { components } from '../../api/schema.gen.ts';
import { Facts } from '../../components/Facts.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { words } from '../../lib/text.ts';
import { required } from '../identity/password-rules.ts';

/** The name of the admin, and what only a super admin changes. */
export function AdminProfileSection({ admin }: { readonly admin: components['schemas']['AdminAccount'] }) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { name: admin.name },
    validate: { name: required('your name') },
    submit: ({ name }) => updateAdminAccount({ name: name.trim() }),
    async onSaved(changed) {
      client.setQueryData(adminAccountQuery().queryKey, changed);
      await client.invalidateQueries({ queryKey: meQuery('admin').queryKey });
    },
  });
  return (
    <Section title="Profile">
      <Facts
        cols={2}
        items={[
          { label: 'Email', value: admin.email },
          { label: 'Role', value: words(admin.role) },
          { label: 'Created at', value: <TimeText value={admin.created_at} format="date" /> },
        ]}
      />
      <ResourceFormBody resource={resource} submitLabel="Save changes">
        <TextInput label="Name" autoComplete="name" maxLength={100} {...resource.form.getInputProps('name')} />
      </ResourceFormBody>
    </Section>
  );
}
