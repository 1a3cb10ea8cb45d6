import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { sessionsKey } from '../../api/account.ts';
import type { Area } from '../../api/session.ts';
import { PasswordField } from '../../components/PasswordField.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { NewPasswordInput } from '../identity/NewPasswordInput.tsx';
import { checkNewPassword, required } from '../identity/password-rules.ts';

interface PasswordSectionProps {
  readonly area: Area;
  /** The address with which the person logs in. */
  readonly email: string;
  readonly submit: (passwords: { readonly current_password: string; readonly password: string }) => Promise<unknown>;
}

/** Changes the password, which ends every other session. */
export function PasswordSection({ area, email, submit }: PasswordSectionProps) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { current_password: '', password: '' },
    validate: { current_password: required('your current password'), password: checkNewPassword },
    submit: (passwords) => submit(passwords),
    async onSaved() {
      form.setValues({ current_password: '', password: '' });
      form.resetDirty({ current_password: '', password: '' });
      notifications.show({ message: 'Your password was changed. All other sessions have ended.', role: 'status' });
      await client.invalidateQueries({ queryKey: sessionsKey(area) });
    },
  });
  const { form } = resource;
  return (
    <Section title="Password" description="Changing your password logs you out on all other devices.">
      <ResourceFormBody resource={resource} submitLabel="Change password">
        {/* Password managers assign the passwords to this name. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          {...form.getInputProps('current_password')}
        />
        <NewPasswordInput label="New password" {...form.getInputProps('password')} />
      </ResourceFormBody>
    </Section>
  );
}
