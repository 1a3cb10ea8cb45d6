import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** A field for a password or another secret. Mantine's marks its frame as wrong, but not the input that screen readers read. */
export function PasswordField(props: PasswordInputProps) {
  return <PasswordInput {...props} {...(props.error && { 'aria-invalid': true })} />;
}
