import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { IconComponent } from '../icons/icon.ts';
import { Trash2 } from '../icons/icons.gen.ts';
import { ActionButton } from './ActionButton.tsx';
import { ErrorState } from './ErrorState.tsx';
import { FormFrameContext } from './form-frame.ts';

interface ConfirmDialogProps {
  /** The action and the object, which the button names too: "Revoke license". */
  readonly title: string;
  /** The consequence: "Revoking stops 3 active devices at their next check." */
  readonly children: ReactNode;
  /** The object's name, which the person must type if the action cannot be undone. */
  readonly typedName?: string;
  readonly isDangerous?: boolean;
  /** The text of the button that does nothing, where "Cancel" would be mistaken for the action. */
  readonly cancelLabel?: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Does the action. The dialog closes when it succeeds and shows the problem when it fails. */
  readonly onConfirm: () => Promise<unknown>;
  /** Query-key prefixes to invalidate afterwards: the page of a deleted object, which `onConfirm` leaves, is not read again. */
  readonly invalidates?: readonly (readonly unknown[])[];
  /** What to say afterwards, if the change itself is not visible. */
  readonly success?: string;
}

/** Asks before an action that destroys or interrupts something. */
export function ConfirmDialog({ isOpen, onClose, title, ...rest }: ConfirmDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={<Text fw={600}>{title}</Text>}>
      {isOpen && <Question title={title} onClose={onClose} {...rest} />}
    </Modal>
  );
}

function Question(props: Omit<ConfirmDialogProps, 'isOpen'>) {
  const { title, children, typedName, isDangerous = true, cancelLabel, onClose, onConfirm, invalidates = [] } = props;
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const isReady = typedName === undefined || typed.trim() === typedName;
  const confirm = async () => {
    setRunning(true);
    setError(null);
    try {
      await onConfirm();
      if (props.success !== undefined) notifications.show({ message: props.success, role: 'status' });
      await Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })));
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void confirm();
      }}
    >
      <Stack gap="md">
        <Text component="div">{children}</Text>
        {typedName !== undefined && (
          <TextInput
            label={
              <>
                Type <b style={{ overflowWrap: 'anywhere' }}>{typedName}</b> to confirm
              </>
            }
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {error !== null && <ErrorState problem={toProblem(error)} />}
        <DialogButtons onCancel={onClose} cancelLabel={cancelLabel}>
          <Button type="submit" {...(isDangerous && { color: 'red' })} loading={isRunning} disabled={!isReady}>
            {title}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

interface DialogButtonsProps {
  readonly onCancel: () => void;
  readonly cancelLabel?: string | undefined;
  /** The button of the action. */
  readonly children: ReactNode;
}

/** The buttons at the end of a dialog. */
export function DialogButtons({ onCancel, cancelLabel = 'Cancel', children }: DialogButtonsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        {cancelLabel}
      </Button>
      {children}
    </Group>
  );
}

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
  const button = { icon: Trash2, variant: 'default' };
  return (
    <ConfirmButton title={title} typedName={name} button={button} onConfirm={onDelete}>
      {children}
    </ConfirmButton>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'isOpen' | 'onClose'> {
  /** The look of the button. */
  readonly button: ButtonProps & { readonly icon?: IconComponent };
}

/** A button that starts an action after a question. Both have the action's name. */
export function ConfirmButton({ button: { icon, ...look }, ...question }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  return (
    <>
      {icon === undefined ? (
        <Button onClick={open} {...look}>
          {question.title}
        </Button>
      ) : (
        <ActionButton icon={icon} label={question.title} onClick={open} {...look} />
      )}
      <ConfirmDialog {...question} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

interface FormDialogProps {
  /** The action: "Extend trial". */
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The form; it is new each time the dialog opens. */
  readonly children: ReactNode;
  readonly size?: string;
}

/** A dialog with a short form: an action on the open object that needs an answer. Longer forms use `FormDrawer`. */
export function FormDialog({ title, isOpen, onClose, children, size = 'md' }: FormDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} size={size} title={<Text fw={600}>{title}</Text>}>
      <FormFrameContext value={{ cancel: onClose, close: onClose }}>{isOpen && children}</FormFrameContext>
    </Modal>
  );
}
