import { Box, Stack, Text } from '@mantine/core';
import encodeQR from 'qr';
import { useMemo, useState } from 'react';
import { confirmTwoFactor, startTwoFactorSetup } from '../../api/account.ts';
import type { Area } from '../../api/session.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { required } from '../identity/password-rules.ts';
import { CodeInput, ProofForm } from './ProofForm.tsx';

interface TwoFactorSetupProps {
  readonly area: Area;
  readonly onCancel: () => void;
  readonly onEnabled: (recoveryCodes: readonly string[]) => unknown;
}

type Setup = Awaited<ReturnType<typeof startTwoFactorSetup>>;

/** The two steps of the setup: the password, then the QR code and a first code of the app. */
export function TwoFactorSetup({ area, onCancel, onEnabled }: TwoFactorSetupProps) {
  // The secret stays in this state only; it is gone when the dialog closes.
  const [setup, setSetup] = useState<Setup | null>(null);
  return setup === null ? (
    <PasswordStep area={area} onCancel={onCancel} onStarted={setSetup} />
  ) : (
    <ScanStep area={area} setup={setup} onCancel={onCancel} onEnabled={onEnabled} />
  );
}

interface PasswordStepProps {
  readonly area: Area;
  readonly onCancel: () => void;
  readonly onStarted: (setup: Setup) => void;
}

function PasswordStep({ area, onCancel, onStarted }: PasswordStepProps) {
  const resource = useResourceForm({
    initialValues: { password: '' },
    validate: { password: required('your password') },
    submit: ({ password }) => startTwoFactorSetup(area, { password }),
    onSaved: onStarted,
  });
  return (
    <ProofForm resource={resource} submitLabel="Continue" onCancel={onCancel}>
      <Text>
        You need an authenticator app, such as the one of your password manager or of your phone. Your other sessions
        end when it is set up.
      </Text>
      <PasswordField
        label="Password"
        autoComplete="current-password"
        data-autofocus
        {...resource.form.getInputProps('password')}
      />
    </ProofForm>
  );
}

interface ScanStepProps extends TwoFactorSetupProps {
  readonly setup: Setup;
}

function ScanStep({ area, setup, onCancel, onEnabled }: ScanStepProps) {
  const resource = useResourceForm({
    initialValues: { code: '' },
    validate: { code: required('the code that the app shows') },
    submit: async ({ code }) => (await confirmTwoFactor(area, { code: code.trim() })).recovery_codes,
    onSaved: onEnabled,
  });
  return (
    <ProofForm resource={resource} submitLabel="Turn on" onCancel={onCancel}>
      <Text>Scan this QR code with the app, then enter the six digits that the app shows.</Text>
      <Box style={{ alignSelf: 'center' }}>
        <QrCode text={setup.otpauth_url} label="QR code for the authenticator app" />
      </Box>
      <Stack gap={2}>
        <Hint>Cannot scan it? Enter this secret in the app:</Hint>
        <CopyableText value={setup.secret} label="secret" />
      </Stack>
      <CodeInput data-autofocus autoFocus {...resource.form.getInputProps('code')} />
    </ProofForm>
  );
}

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** The modules of white space around a code that readers need (ISO/IEC 18004). */
const quietZone = 4;

/** A QR code as an image. It is dark on white in both colour schemes, because many readers refuse the inverse. */
function QrCode({ text, label }: QrCodeProps) {
  const { path, width } = useMemo(() => {
    const modules = encodeQR(text, 'raw', { border: quietZone });
    const rows = modules.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join(''));
    return { path: rows.join(''), width: modules.length };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      width={192}
      height={192}
      viewBox={`0 0 ${width} ${width}`}
      shapeRendering="crispEdges"
      style={{ display: 'block', borderRadius: 8 }}
    >
      <rect width={width} height={width} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
