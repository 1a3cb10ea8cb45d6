import { Button, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { DialogButtons } from './ConfirmDialog.tsx';
import { FormFrameContext } from './form-frame.ts';
import { Panel } from './Panel.tsx';

interface FormDrawerProps {
  /** The action: "New license". */
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The form; it is new each time the drawer opens. */
  readonly children: ReactNode;
  readonly size?: string;
}

/**
 * A panel with a form beside the list. Every way out asks before it discards input: Escape, the close button, the
 * backdrop, Cancel, Back and a link.
 */
export function FormDrawer({ title, isOpen, onClose, children, size = 'lg' }: FormDrawerProps) {
  // Read by events that happen between two renders, so not as state.
  const isUnsaved = useRef(false);
  const [isAsking, setAsking] = useState(false);
  const onUnsaved = useCallback((value: boolean) => {
    isUnsaved.current = value;
  }, []);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isOpen && isUnsaved.current && (current.pathname !== next.pathname || panelOf(current) !== panelOf(next)),
    enableBeforeUnload: () => isOpen && isUnsaved.current,
    withResolver: true,
  });
  const isBlocked = blocker.status === 'blocked';
  const close = () => (isUnsaved.current ? setAsking(true) : onClose());
  const discard = () => {
    isUnsaved.current = false;
    setAsking(false);
    if (isBlocked) blocker.proceed?.();
    else onClose();
  };
  const keep = () => {
    setAsking(false);
    blocker.reset?.();
  };
  return (
    <>
      <Panel title={title} isOpen={isOpen} onClose={close} size={size}>
        <FormFrameContext value={{ cancel: close, close: onClose, onUnsaved }}>{isOpen && children}</FormFrameContext>
      </Panel>
      <Modal opened={isAsking || isBlocked} onClose={keep} title={<Text fw={600}>Discard your input?</Text>}>
        <Stack gap="md">
          <Text>If you close this, you lose what you entered.</Text>
          <DialogButtons onCancel={discard} cancelLabel="Discard">
            <Button onClick={keep} data-autofocus>
              Keep editing
            </Button>
          </DialogButtons>
        </Stack>
      </Modal>
    </>
  );
}

/** Returns which panel a location of the application opens. */
function panelOf({ search }: { readonly search: object }): unknown {
  return (search as { readonly panel?: unknown }).panel;
}
