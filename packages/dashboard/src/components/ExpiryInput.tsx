import { TextInput, type TextInputProps } from '@mantine/core';

/** A field for the end of something, in the reader's time zone. Its value is empty, or `2027-01-31T18:00`. */
export function ExpiryInput(props: TextInputProps) {
  return <TextInput type="datetime-local" label="Expires at" w={{ base: '100%', xs: 240 }} {...props} />;
}

/** Returns the timestamp of an expiry field; null if it is empty. */
export function expiryOf(value: string): string | null {
  return value === '' ? null : new Date(value).toISOString();
}

/** Returns the value of an expiry field for a timestamp: local, without a zone, to the minute. */
export function expiryText(timestamp: string): string {
  const date = new Date(timestamp);
  const pad = (part: number) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}
