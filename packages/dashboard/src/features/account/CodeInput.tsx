import { TextInput, type TextInputProps } from '@mantine/core';

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
