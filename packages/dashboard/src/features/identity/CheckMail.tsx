import { Stack, Text, ThemeIcon } from '@mantine/core';
import { MailCheck } from 'lucide-react';
import type { ReactNode } from 'react';

interface CheckMailProps {
  readonly email: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** Says that the next step is in a mail. */
export function CheckMail({ email, children, actions }: CheckMailProps) {
  return (
    <Stack gap="md" align="flex-start">
      <ThemeIcon variant="light" size={44} radius="md">
        <MailCheck size={22} aria-hidden="true" />
      </ThemeIcon>
      <div role="status">
        <Text size="md">
          {children} The mail goes to <b style={{ overflowWrap: 'anywhere' }}>{email}</b>.
        </Text>
        <Text size="sm" c="dimmed" mt="xs">
          Nothing there after a minute? Look in the folder for spam, and check the address.
        </Text>
      </div>
      {actions}
    </Stack>
  );
}
