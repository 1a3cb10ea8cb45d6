import { Alert, Button, Fieldset, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useContext } from 'react';
import { fieldSentence } from '../api/problem.ts';
import { DialogButtons } from './ConfirmDialog.tsx';
import { ErrorState } from './ErrorState.tsx';
import { FormFrameContext } from './form-frame.ts';
import type { ResourceForm } from './use-resource-form.ts';

interface ResourceFormBodyProps {
  // The body needs nothing of the values.
  readonly resource: Pick<ResourceForm<never>, 'problem' | 'isSaving' | 'isUnsaved' | 'onSubmit'>;
  readonly submitLabel: string;
  /** Whether the submission destroys or interrupts something. */
  readonly isDangerous?: boolean;
  /** Leaves a form on a page. A drawer and a dialog have a way out of their own. */
  readonly onCancel?: () => void;
  /** The text of the button that leaves the form, where "Cancel" would be mistaken for the action. */
  readonly cancelLabel?: string;
  /** Whether the submission only asks the service, so that there is nothing to confirm. */
  readonly savesNothing?: boolean;
  /** Shows the values without a way to change them. */
  readonly isReadOnly?: boolean;
  readonly children: ReactNode;
}

/** The buttons of a long form in a drawer stay in sight. */
const alwaysVisible = {
  position: 'sticky',
  bottom: 0,
  zIndex: 1,
  marginBottom: 'calc(var(--mantine-spacing-md) * -1)',
  paddingBlock: 'var(--mantine-spacing-sm)',
  background: 'var(--mantine-color-body)',
} as const;

/** The frame of a form: its fields, the problem that belongs to no field, its buttons, and the warning about unsaved input. */
export function ResourceFormBody(props: ResourceFormBodyProps) {
  const { resource, submitLabel, isDangerous = false, onCancel, cancelLabel = 'Cancel', children } = props;
  const announcement = props.savesNothing === true ? undefined : savedText(submitLabel);
  const { problem, isSaving, isUnsaved, onSubmit } = resource;
  const frame = useContext(FormFrameContext);
  const cancel = frame?.cancel ?? onCancel;
  const isInDrawer = frame?.onUnsaved !== undefined;
  if (props.isReadOnly === true) {
    return (
      <Fieldset disabled variant="unstyled">
        {children}
      </Fieldset>
    );
  }
  const details = problem?.details ?? [];
  return (
    <form onSubmit={(event) => onSubmit(event, announcement)} noValidate>
      <Stack gap="md">
        {children}
        {problem !== null && <ErrorState problem={problem} />}
        {details.length > 0 && (
          <Alert color="red" role="alert">
            <List size="sm">
              {details.map(({ field, message }) => (
                <List.Item key={`${field} ${message}`}>{fieldSentence({ field, message })}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Group justify="flex-end" gap="xs" {...(isInDrawer && { style: alwaysVisible })}>
          {cancel !== undefined && (
            <Button variant="default" onClick={cancel}>
              {cancelLabel}
            </Button>
          )}
          <Button type="submit" loading={isSaving} {...(isDangerous && { color: 'red' })}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
      {!isInDrawer && <UnsavedWarning isUnsaved={isUnsaved} />}
    </form>
  );
}

const participles: Readonly<Record<string, string>> = {
  Activate: 'activated',
  Add: 'added',
  Allow: 'allowed',
  Apply: 'applied',
  Change: 'changed',
  Confirm: 'confirmed',
  Convert: 'converted',
  Create: 'created',
  Extend: 'extended',
  Grant: 'granted',
  Invite: 'invited',
  Issue: 'issued',
  Renew: 'renewed',
  Replace: 'replaced',
  Save: 'saved',
  Send: 'sent',
  Set: 'set',
  Undo: 'undone',
};

/**
 * Returns what to say after a submission: "Create product" is followed by "Product created.". A button such as "Continue"
 * changes nothing that a message could name.
 */
function savedText(submitLabel: string): string | undefined {
  const [verb = '', ...words] = submitLabel.split(' ');
  const participle = participles[verb];
  if (participle === undefined) return undefined;
  const object = words.join(' ').replace(/^the /, '') || 'changes';
  return `${object.charAt(0).toUpperCase()}${object.slice(1)} ${participle}.`;
}

/** Asks before the person leaves unsaved input, whether by a link, by Back or by closing the tab. */
export function UnsavedWarning({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  const isBlocked = blocker.status === 'blocked';
  return (
    <Modal opened={isBlocked} onClose={() => blocker.reset?.()} title={<Text fw={600}>Leave without saving?</Text>}>
      <Stack gap="md">
        <Text>Your changes have not been saved.</Text>
        <DialogButtons onCancel={() => blocker.proceed?.()} cancelLabel="Leave">
          <Button onClick={() => blocker.reset?.()} data-autofocus>
            Stay
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}
