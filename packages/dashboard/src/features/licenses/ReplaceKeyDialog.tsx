import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { CopyTextButton } from '../../components/CopyTextButton.tsx';

interface ReplaceKeyDialogProps {
  /** What happens to the devices of the license. */
  readonly devices: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Replaces the key and returns the new one. */
  readonly replace: () => Promise<string>;
}

/** Replaces the key of a license after a question, and shows the new one. */
export function ReplaceKeyDialog({ devices, isOpen, onClose, replace }: ReplaceKeyDialogProps) {
  const [key, setKey] = useState<string | null>(null);
  const close = () => setKey(null);
  return (
    <>
      <ConfirmDialog
        title="Replace the key"
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={async () => setKey(await replace())}
      >
        The current key stops working immediately, and the customer needs the new one. Activated devices stay activated.{' '}
        {devices}
      </ConfirmDialog>
      <Modal opened={key !== null} onClose={close} title={<Text fw={600}>The key was replaced</Text>}>
        <Stack gap="md">
          <Text>Send the new key to the customer. It is also on the page of the license.</Text>
          <Code block aria-label="new license key" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
            {key}
          </Code>
          <Group justify="flex-end" gap="xs">
            <CopyTextButton text={key ?? ''} />
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
