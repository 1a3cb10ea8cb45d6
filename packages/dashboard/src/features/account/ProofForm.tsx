import { Button, Stack, TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { DialogButtons } from '../../components/ConfirmDialog.tsx';
import type { ResourceForm } from '../../components/use-resource-form.ts';
import { AuthProblem, useSecondsLeft } from '../identity/AuthProblem.tsx';

interface ProofFormProps {
  // The frame needs nothing of the values.
  readonly resource: Pick<ResourceForm<never>, 'problem' | 'isSaving' | 'onSubmit'>;
  readonly submitLabel: string;
  readonly isDangerous?: boolean;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog that asks for the password or a code. */
export function ProofForm({ resource, submitLabel, isDangerous = false, onCancel, children }: ProofFormProps) {
  const { problem, isSaving, onSubmit } = resource;
  const secondsLeft = useSecondsLeft(problem);
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        {children}
        {problem !== null && <AuthProblem problem={problem} secondsLeft={secondsLeft} isLogin={false} />}
        <DialogButtons onCancel={onCancel}>
          <Button type="submit" loading={isSaving} disabled={secondsLeft > 0} {...(isDangerous && { color: 'red' })}>
            {submitLabel}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

/** A field for the code of an authenticator app, which password managers and phones can fill in. */
export function CodeInput(props: TextInputProps) {
  return (
    <TextInput
      label="Code"
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={40}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', letterSpacing: '0.08em' } }}
      {...props}
    />
  );
}
