import { Anchor, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { LoginResult } from '../../api/identity.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { AuthForm } from './AuthForm.tsx';
import { required } from './password-rules.ts';

interface CodeFormProps {
  /** Sends the credentials that were accepted before, with the code. */
  readonly submit: (code: string) => Promise<LoginResult>;
  readonly onLoggedIn: (login: LoginResult) => unknown;
}

/** The second step of a login: a code of the authenticator app or a recovery code. */
export function CodeForm({ submit, onLoggedIn }: CodeFormProps) {
  const [isRecovery, setRecovery] = useState(false);
  const resource = useResourceForm({
    initialValues: { code: '' },
    validate: { code: required('the code') },
    submit: ({ code }) => submit(code.trim()),
    onSaved: onLoggedIn,
  });
  const { form } = resource;
  const toggle = () => {
    form.reset();
    setRecovery(!isRecovery);
  };
  return (
    <AuthForm resource={resource} submitLabel="Log in">
      <TextInput
        // A new element per kind of code, so that the keyboard and the focus follow.
        key={String(isRecovery)}
        size="md"
        label={isRecovery ? 'Recovery code' : 'Code'}
        description={
          isRecovery
            ? 'You can use each recovery code once.'
            : 'Enter the six digits that your authenticator app shows.'
        }
        autoComplete={isRecovery ? 'off' : 'one-time-code'}
        inputMode={isRecovery ? 'text' : 'numeric'}
        maxLength={40}
        autoFocus
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', letterSpacing: '0.08em' } }}
        {...form.getInputProps('code')}
      />
      <Anchor component="button" type="button" size="md" ta="left" onClick={toggle}>
        {isRecovery ? 'Use your authenticator app' : 'Use a recovery code'}
      </Anchor>
    </AuthForm>
  );
}
