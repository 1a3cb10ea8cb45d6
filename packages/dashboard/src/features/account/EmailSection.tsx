import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Account,
  accountQuery,
  cancelEmailChange,
  requestEmailChange,
  twoFactorQuery,
} from '../../api/account.ts';
import { PasswordField } from '../../components/PasswordField.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { MailCheck } from '../../icons/icons.gen.ts';
import { required } from '../identity/password-rules.ts';
import { ResendButton } from '../identity/ResendButton.tsx';
import { CodeInput, ProofForm } from './ProofForm.tsx';

/** The address with which the person logs in: whether it is verified, and its change. */
export function EmailSection({ account }: { readonly account: Account }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const isVerified = account.email_verified_at !== null;
  return (
    <Section
      title="Email"
      description="You log in with this address, and we send mail to it."
      actions={
        <Button variant="default" size="xs" onClick={() => setOpen(true)}>
          Change email
        </Button>
      }
    >
      <Group gap="xs">
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {account.email}
        </Text>
        <StatusBadge status={isVerified ? 'valid' : 'incomplete'} label={isVerified ? 'Verified' : 'Not verified'} />
      </Group>
      {!isVerified && (
        <Stack gap="xs">
          <Text size="sm">Open the link that we sent to this address, or request a new one.</Text>
          <ResendButton email={account.email} />
        </Stack>
      )}
      {account.email_change !== null && <PendingChange pending={account.email_change} />}
      <Modal opened={isOpen} onClose={close} title={<Text fw={600}>Change email</Text>}>
        {isOpen && <EmailChangeForm email={account.email} onClose={close} />}
      </Modal>
    </Section>
  );
}

type Pending = NonNullable<Account['email_change']>;

/** Says that the new address must be confirmed, and offers to keep the present one. */
function PendingChange({ pending }: { readonly pending: Pending }) {
  const client = useQueryClient();
  const cancel = useAction({ run: cancelEmailChange, invalidates: [] });
  const keep = async () => {
    try {
      client.setQueryData(accountQuery().queryKey, await cancel.mutateAsync());
    } catch (failure) {
      showProblem(failure);
    }
  };
  return (
    <Alert role="status" icon={<MailCheck size={18} aria-hidden="true" />} p="md">
      <Group justify="space-between" gap="sm">
        <AlertText style={{ flex: '1 1 260px' }}>
          Open the link that we mailed to <b style={{ overflowWrap: 'anywhere' }}>{pending.email}</b>. It works until{' '}
          <TimeText value={pending.expires_at} />.
        </AlertText>
        <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => void keep()}>
          Cancel change
        </Button>
      </Group>
    </Alert>
  );
}

function EmailChangeForm({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const { data: twoFactor } = useQuery(twoFactorQuery('tenant'));
  const needsCode = twoFactor?.enabled ?? false;
  const resource = useResourceForm({
    initialValues: { email: '', password: '', code: '' },
    validate: {
      email: required('the new address'),
      password: required('your password'),
      code: (value) => (needsCode ? required('a code from your authenticator app')(value) : null),
    },
    submit: ({ email: address, password, code }) =>
      requestEmailChange({ email: address.trim(), password, ...(needsCode && { code: code.trim() }) }),
    onSaved(account) {
      client.setQueryData(accountQuery().queryKey, account);
      onClose();
    },
  });
  const { form } = resource;
  return (
    <ProofForm resource={resource} submitLabel="Change email" onCancel={onClose}>
      <Text>
        We send a confirmation link to the new address. We also notify your current address, from which you can undo the
        change for 7 days.
      </Text>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <TextInput
        label="New email"
        type="email"
        autoComplete="off"
        maxLength={254}
        data-autofocus
        {...form.getInputProps('email')}
      />
      <PasswordField label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
      {needsCode && (
        <CodeInput
          description="Enter a code from your authenticator app, or a recovery code."
          {...form.getInputProps('code')}
        />
      )}
    </ProofForm>
  );
}
