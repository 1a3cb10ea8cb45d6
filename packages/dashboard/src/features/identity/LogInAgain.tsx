import { Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Credentials, type LoginResult, logIn } from '../../api/identity.ts';
import type { Area } from '../../api/session.ts';
import { CodeForm } from './CodeForm.tsx';
import { LoginForm } from './LoginScreen.tsx';

interface LogInAgainProps {
  readonly area: Area;
  readonly onLoggedIn: (login: LoginResult) => void;
  readonly onLeave: () => void;
}

/** Asks for the password over the open page, so that what the person has entered stays there. */
export default function LogInAgain({ area, onLoggedIn, onLeave }: LogInAgainProps) {
  const [credentials, setCredentials] = useState<Credentials | null>(null);
  return (
    <Modal
      opened
      onClose={onLeave}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={<Text fw={600}>Log in again</Text>}
    >
      <Stack gap="md">
        <Text>Your session has ended. Log in to continue. Nothing that you entered is lost.</Text>
        {credentials === null ? (
          <LoginForm area={area} onLoggedIn={onLoggedIn} onCodeNeeded={setCredentials} />
        ) : (
          <CodeForm submit={(code) => logIn(area, { ...credentials, code })} onLoggedIn={onLoggedIn} />
        )}
        <Button variant="subtle" color="gray" onClick={onLeave}>
          Leave without saving
        </Button>
      </Stack>
    </Modal>
  );
}
