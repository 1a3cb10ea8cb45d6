import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface TextsProps extends Omit<TextProps, 'size' | 'c'> {
  readonly children?: ReactNode;
  readonly role?: string;
}

/** An explanation below or beside something: small and dimmed. */
export function Hint(props: TextsProps) {
  return <Text size="sm" c="dimmed" {...props} />;
}

/** A part of a text that matters less. */
export function Dimmed(props: TextsProps) {
  return <Text span inherit c="dimmed" {...props} />;
}

/** A code, an id or a key inside a text. */
export function Mono(props: TextsProps) {
  return <Text span inherit ff="monospace" {...props} />;
}

/** The text of an alert. An alert would give it the alert's own color, which is too weak for a sentence. */
export function AlertText(props: TextsProps) {
  return <Text size="md" c="var(--mantine-color-text)" {...props} />;
}
