import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type Account, accountQuery, updateAccount } from '../../api/account.ts';
import { meQuery } from '../../api/me.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { required } from '../identity/password-rules.ts';

/** The name of the person. */
export function ProfileSection({ account }: { readonly account: Account }) {
  const client = useQueryClient();
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
    <Section title="Profile">
      <ResourceFormBody resource={resource} submitLabel="Save changes">
        <TextInput label="Name" autoComplete="name" maxLength={100} {...resource.form.getInputProps('name')} />
      </ResourceFormBody>
    </Section>
  );
}
