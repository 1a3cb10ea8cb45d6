import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Panel } from './Panel.tsx';

interface FormDrawerProps {
  /** The action: "New license". */
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Renders the form. `onUnsaved` tells the drawer whether closing would lose input. */
  readonly children: (onUnsaved: (isUnsaved: boolean) => void) => ReactNode;
  readonly size?: string;
}

/** A panel with a form beside the list. It asks before it discards input. */
export function FormDrawer({ title, isOpen, onClose, children, size = 'lg' }: FormDrawerProps) {
  const [isUnsaved, setUnsaved] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    setUnsaved(false);
    onClose();
  };
  return (
    <>
      <Panel title={title} isOpen={isOpen} onClose={() => (isUnsaved ? setAsking(true) : close())} size={size}>
        {isOpen && children(setUnsaved)}
      </Panel>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={<Text fw={600}>Discard your input?</Text>}>
        <Stack gap="md">
          <Text>What you entered has not been saved.</Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Discard
            </Button>
            <Button onClick={() => setAsking(false)} data-autofocus>
              Keep editing
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
