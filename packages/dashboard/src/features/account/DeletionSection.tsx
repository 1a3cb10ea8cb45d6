import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Account, accountQuery, cancelDeletion, scheduleDeletion } from '../../api/account.ts';
import { DialogButtons } from '../../components/ConfirmDialog.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { Section } from '../../components/Section.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { TriangleAlert } from '../../icons/icons.gen.ts';
import { required } from '../identity/password-rules.ts';

/** Says that the account will be deleted, and offers to keep it. */
export function DeletionBanner({ account }: { readonly account: Account }) {
  const client = useQueryClient();
  const cancel = useAction({ run: cancelDeletion, invalidates: [] });
  if (account.deletion_scheduled_for === null) return null;
  const keep = async () => {
    try {
      client.setQueryData(accountQuery().queryKey, await cancel.mutateAsync());
    } catch (failure) {
      showProblem(failure);
    }
  };
  return (
    <Alert role="status" color="red" icon={<TriangleAlert size={18} aria-hidden="true" />} p="md">
      <Group justify="space-between" gap="sm">
        <AlertText style={{ flex: '1 1 260px' }}>
          Your account will be deleted on <TimeText value={account.deletion_scheduled_for} />. Until then you can use it
          as usual.
        </AlertText>
        <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => void keep()}>
          Cancel deletion
        </Button>
      </Group>
    </Alert>
  );
}

/** Deletes the account after 30 days. */
export function DeletionSection({ account }: { readonly account: Account }) {
  const [isOpen, setOpen] = useState(false);
  if (account.deletion_scheduled_for !== null) return null;
  const close = () => setOpen(false);
  return (
    <Section
      title="Delete account"
      description="Your personal data is erased after 30 days. You can cancel the deletion until then. Tenants, licenses and access tokens are not deleted."
      actions={
        <Button color="red" variant="outline" size="xs" onClick={() => setOpen(true)}>
          Delete account
        </Button>
      }
    >
      <Modal opened={isOpen} onClose={close} title={<Text fw={600}>Delete account</Text>}>
        {isOpen && <DeletionForm email={account.email} onClose={close} />}
      </Modal>
    </Section>
  );
}

function DeletionForm({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { password: '' },
    validate: { password: required('your password') },
    submit: ({ password }) => scheduleDeletion({ password }),
    onSaved(account) {
      client.setQueryData(accountQuery().queryKey, account);
      onClose();
    },
  });
  return (
    <form onSubmit={resource.onSubmit} noValidate>
      <Stack gap="md">
        <Text>
          In 30 days, the account <b style={{ overflowWrap: 'anywhere' }}>{email}</b> is erased: your profile,
          memberships, sessions and your name in audit logs. Nobody can restore it afterwards.
        </Text>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...resource.form.getInputProps('password')}
        />
        {resource.problem !== null && <ErrorState problem={resource.problem} />}
        <DialogButtons onCancel={onClose} cancelLabel="Keep account">
          <Button type="submit" color="red" loading={resource.isSaving}>
            Delete account
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
