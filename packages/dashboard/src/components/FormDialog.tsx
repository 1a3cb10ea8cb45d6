import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FormDialogProps {
  /** The action: "Extend trial". */
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The form; it is new each time the dialog opens. */
  readonly children: ReactNode;
}

/** A dialog with a short form: an action on the open object that needs an answer. Longer forms use `FormDrawer`. */
export function FormDialog({ title, isOpen, onClose, children }: FormDialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<Text fw={600}>{title}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isOpen && children}
    </Modal>
  );
}
