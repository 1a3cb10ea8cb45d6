import { PasswordInput, Text } from '@mantine/core';
import { disableTwoFactor } from '../../api/account.ts';
import type { Area } from '../../api/session.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { required } from '../identity/password-rules.ts';
import { CodeInput } from './CodeInput.tsx';
import { ProofForm } from './ProofForm.tsx';

interface DisableTwoFactorFormProps {
  readonly area: Area;
  readonly onCancel: () => void;
  readonly onDisabled: () => unknown;
}

/** Turns two-factor authentication off. It takes both factors, so that a stolen session cannot do it. */
export function DisableTwoFactorForm({ area, onCancel, onDisabled }: DisableTwoFactorFormProps) {
  const resource = useResourceForm({
    initialValues: { password: '', code: '' },
    validate: { password: required('your password'), code: required('a code of your app') },
    submit: ({ password, code }) => disableTwoFactor(area, { password, code: code.trim() }),
    onSaved: onDisabled,
  });
  const { form } = resource;
  return (
    <ProofForm resource={resource} submitLabel="Turn off" isDangerous onCancel={onCancel}>
      <Text size="md">Your password alone then suffices to log in. Your recovery codes stop working.</Text>
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
      <CodeInput description="A code of your app, or a recovery code." {...form.getInputProps('code')} />
    </ProofForm>
  );
}
