import { Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type Account, accountQuery, updateAccount } from '../../api/account.ts';
import { meQuery } from '../../api/me.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { required } from '../identity/password-rules.ts';
import { ResendButton } from '../identity/ResendButton.tsx';

/** The name of the person, and the address, which identifies the account. */
export function ProfileSection({ account }: { readonly account: Account }) {
  const client = useQueryClient();
  const isVerified = account.email_verified_at !== null;
  const resource = useResourceForm({
    initialValues: { name: account.name },
    validate: { name: required('your name') },
    submit: ({ name }) => updateAccount({ name: name.trim() }),
    async onSaved(changed) {
      client.setQueryData(accountQuery().queryKey, changed);
      await client.invalidateQueries({ queryKey: meQuery('tenant').queryKey });
    },
  });
  return (
    <Section
      title="Profile"
      actions={
        <StatusBadge
          status={isVerified ? 'valid' : 'incomplete'}
          label={isVerified ? 'Email verified' : 'Email not verified'}
        />
      }
    >
      <ResourceFormBody resource={resource} submitLabel="Save changes">
        <TextInput label="Name" autoComplete="name" maxLength={100} {...resource.form.getInputProps('name')} />
        <TextInput
          label="Email"
          type="email"
          value={account.email}
          readOnly
          description="You log in with this address. It cannot be changed here."
        />
      </ResourceFormBody>
      {!isVerified && (
        <Stack gap="xs">
          <Text size="sm">Open the link that we mailed to this address, or send a new one.</Text>
          <ResendButton email={account.email} />
        </Stack>
      )}
    </Section>
  );
}
