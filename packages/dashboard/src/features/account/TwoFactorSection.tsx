import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { disableTwoFactor, replaceRecoveryCodes, sessionsKey, twoFactorQuery } from '../../api/account.ts';
import { meQuery } from '../../api/me.ts';
import type { Area } from '../../api/session.ts';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { ShieldAlert } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import { required } from '../identity/password-rules.ts';
import { CodeInput, ProofForm } from './ProofForm.tsx';
import { TwoFactorSetup } from './TwoFactorSetup.tsx';

type Dialog = 'setup' | 'recovery-codes' | 'disable';

const titles: Readonly<Record<Dialog, string>> = {
  setup: 'Set up two-factor authentication',
  'recovery-codes': 'Replace recovery codes',
  disable: 'Turn off two-factor authentication',
};

const fewCodes = 3;

/** Protects the account with an authenticator app, and shows the recovery codes once. */
export function TwoFactorSection({ area }: { readonly area: Area }) {
  const client = useQueryClient();
  const { data: status, error, refetch } = useQuery(twoFactorQuery(area));
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setDialog(null);
  const changed = async (newCodes: readonly string[] | null) => {
    close();
    setCodes(newCodes);
    const keys = [twoFactorQuery(area).queryKey, meQuery(area).queryKey, sessionsKey(area)];
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return (
    <Section
      title="Two-factor authentication"
      description="Protect your account with a code from an authenticator app, in addition to your password."
      actions={
        status !== undefined &&
        (status.enabled ? (
          <>
            <Button variant="default" size="xs" onClick={() => setDialog('recovery-codes')}>
              Replace recovery codes
            </Button>
            <Button variant="outline" color="red" size="xs" onClick={() => setDialog('disable')}>
              Turn off
            </Button>
          </>
        ) : (
          <Button size="xs" onClick={() => setDialog('setup')}>
            Set up
          </Button>
        ))
      }
    >
      {status === undefined && (
        <QueryPlaceholder error={error} refetch={refetch} skeleton={<Skeleton h={24} w="50%" />} />
      )}
      {status !== undefined && (
        <Group gap="sm">
          <StatusBadge
            status={status.enabled ? 'enabled' : 'disabled'}
            label={status.enabled ? 'On' : 'Off'}
            tone={status.enabled ? 'good' : 'neutral'}
          />
          {status.enabled && (
            <Text>
              Since <TimeText value={status.enabled_at} format="date" />, with{' '}
              {count(status.recovery_codes_left, 'unused recovery code')}.
            </Text>
          )}
        </Group>
      )}
      {status?.enabled && status.recovery_codes_left < fewCodes && (
        <Alert color="yellow" icon={<ShieldAlert size={18} aria-hidden="true" />}>
          You have few recovery codes left. Replace them, so that you can log in without your phone.
        </Alert>
      )}
      <Modal
        opened={dialog !== null}
        onClose={close}
        title={<Text fw={600}>{dialog === null ? '' : titles[dialog]}</Text>}
        // A secret that the person has just scanned must not be lost by a click beside the dialog.
        closeOnClickOutside={false}
      >
        {dialog === 'setup' && <TwoFactorSetup area={area} onCancel={close} onEnabled={changed} />}
        {dialog === 'recovery-codes' && <RecoveryCodesForm area={area} onCancel={close} onReplaced={changed} />}
        {dialog === 'disable' && <DisableTwoFactorForm area={area} onCancel={close} onDisabled={() => changed(null)} />}
      </Modal>
      <SecretDialog
        title="Recovery codes"
        label="set of recovery codes"
        secret={codes?.join('\n') ?? null}
        onStored={() => setCodes(null)}
      >
        <Stack gap="xs">
          <Text>
            You can use each code once instead of a code from your app. If you lose your phone and these codes, you
            cannot log in.
          </Text>
        </Stack>
      </SecretDialog>
    </Section>
  );
}

interface DisableTwoFactorFormProps {
  readonly area: Area;
  readonly onCancel: () => void;
  readonly onDisabled: () => unknown;
}

/** Turns two-factor authentication off. It takes both factors, so that a stolen session cannot do it. */
function DisableTwoFactorForm({ area, onCancel, onDisabled }: DisableTwoFactorFormProps) {
  const resource = useResourceForm({
    initialValues: { password: '', code: '' },
    validate: { password: required('your password'), code: required('a code from your authenticator app') },
    submit: ({ password, code }) => disableTwoFactor(area, { password, code: code.trim() }),
    onSaved: onDisabled,
  });
  const { form } = resource;
  return (
    <ProofForm resource={resource} submitLabel="Turn off" isDangerous onCancel={onCancel}>
      <Text>You then log in with only your password. Your recovery codes stop working.</Text>
      <PasswordField
        label="Password"
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
      <CodeInput
        description="Enter a code from your authenticator app, or a recovery code."
        {...form.getInputProps('code')}
      />
    </ProofForm>
  );
}

interface RecoveryCodesFormProps {
  readonly area: Area;
  readonly onCancel: () => void;
  readonly onReplaced: (recoveryCodes: readonly string[]) => unknown;
}

/** Replaces the recovery codes; the old ones stop working. */
function RecoveryCodesForm({ area, onCancel, onReplaced }: RecoveryCodesFormProps) {
  const resource = useResourceForm({
    initialValues: { code: '' },
    validate: { code: required('a code from your authenticator app') },
    submit: async ({ code }) => (await replaceRecoveryCodes(area, { code: code.trim() })).recovery_codes,
    onSaved: onReplaced,
  });
  return (
    <ProofForm resource={resource} submitLabel="Replace recovery codes" onCancel={onCancel}>
      <Text>You get new recovery codes. The old codes stop working.</Text>
      <CodeInput
        description="A code of your app, or one of the old recovery codes."
        data-autofocus
        {...resource.form.getInputProps('code')}
      />
    </ProofForm>
  );
}
