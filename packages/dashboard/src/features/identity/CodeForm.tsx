import { Anchor, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Credentials, logIn } from '../../api/identity.ts';
import type { Area } from '../../api/session.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { AuthForm } from './AuthForm.tsx';
import { required } from './password-rules.ts';

interface CodeFormProps {
  readonly area: Area;
  /** The address and the password, which were right. */
  readonly credentials: Credentials;
  readonly onLoggedIn: (login: Awaited<ReturnType<typeof logIn>>) => unknown;
}

/** The second step of a login: a code of the authenticator app or a recovery code. */
export function CodeForm({ area, credentials, onLoggedIn }: CodeFormProps) {
  const [isRecovery, setRecovery] = useState(false);
  const resource = useResourceForm({
    initialValues: { code: '' },
    validate: { code: required('the code') },
    submit: ({ code }) => logIn(area, { ...credentials, code: code.trim() }),
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
          isRecovery ? 'Each recovery code works once.' : 'The six digits that your authenticator app shows.'
        }
        autoComplete={isRecovery ? 'off' : 'one-time-code'}
        inputMode={isRecovery ? 'text' : 'numeric'}
        maxLength={40}
        autoFocus
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', letterSpacing: '0.08em' } }}
        {...form.getInputProps('code')}
      />
      <Anchor component="button" type="button" size="md" ta="left" onClick={toggle}>
        {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
      </Anchor>
    </AuthForm>
  );
}
