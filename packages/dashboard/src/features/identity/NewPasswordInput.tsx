import { Group, type PasswordInputProps, Text } from '@mantine/core';
import { PasswordField } from '../../components/PasswordField.tsx';
import { Check, Circle } from '../../icons/icons.gen.ts';
import { passwordLength } from './password-rules.ts';

interface NewPasswordInputProps extends PasswordInputProps {
  readonly value?: string;
}

/** A field for a new password, with its rule and whether the input meets it. */
export function NewPasswordInput({ value = '', ...props }: NewPasswordInputProps) {
  const isMet = value.length >= passwordLength.min;
  const missing = passwordLength.min - value.length;
  const Icon = isMet ? Check : Circle;
  return (
    <PasswordField
      {...props}
      value={value}
      autoComplete="new-password"
      maxLength={passwordLength.max}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={
        <Group component="span" gap={6} mt={4} wrap="nowrap">
          <Icon size={13} aria-hidden="true" color={isMet ? 'var(--mantine-color-teal-7)' : 'currentColor'} />
          <Text span size="sm" c={isMet ? 'var(--mantine-color-text)' : 'dimmed'}>
            {`At least ${passwordLength.min} characters`}
            {value !== '' && !isMet && `, ${missing} more`}
          </Text>
        </Group>
      }
    />
  );
}
