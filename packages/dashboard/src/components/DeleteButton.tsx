import { Button } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from './ConfirmDialog.tsx';

interface DeleteButtonProps {
  /** The action: "Delete product". */
  readonly title: string;
  /** The object's name, which the person types. */
  readonly name: string;
  /** What happens to what refers to the object. */
  readonly children: ReactNode;
  readonly onDelete: () => Promise<unknown>;
}

/** A button that deletes the open object after a question. A refusal appears in the dialog with its reason. */
export function DeleteButton({ title, name, children, onDelete }: DeleteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<Trash2 size={14} aria-hidden="true" />} onClick={() => setOpen(true)}>
        {title}
      </Button>
      <ConfirmDialog title={title} typedName={name} isOpen={isOpen} onClose={() => setOpen(false)} onConfirm={onDelete}>
        {children}
      </ConfirmDialog>
    </>
  );
}
