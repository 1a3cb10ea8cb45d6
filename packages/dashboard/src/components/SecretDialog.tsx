import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TriangleAlert } from '../icons/icons.gen.ts';
import { CopyTextButton } from './CopyTextButton.tsx';
import { AlertText } from './Texts.tsx';

interface SecretDialogProps {
  readonly title: string;
  /** The secret; null closes the dialog. Keep it in the state of the screen only, never in a cache or the URL. */
  readonly secret: string | null;
  /** What the secret is: "API key". */
  readonly label: string;
  readonly children?: ReactNode;
  readonly onStored: () => void;
}

const ignore = () => undefined;

/** Shows a secret once. Only its button closes it, so that nobody loses the secret by accident. */
export function SecretDialog({ title, secret, label, children, onStored }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={ignore}
      title={<Text fw={600}>{title}</Text>}
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden="true" />}>
          <AlertText>Store this {label} now. You cannot see it again.</AlertText>
        </Alert>
        <Code block aria-label={label} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        {children}
        <Group justify="flex-end" gap="xs">
          <CopyTextButton text={secret ?? ''} />
          <Button onClick={onStored}>I have stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
