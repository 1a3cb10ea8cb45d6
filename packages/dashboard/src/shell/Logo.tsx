import { Group, Text } from '@mantine/core';

/** The mark and the name of the product. */
export function Logo() {
  return (
    <Group gap={8} wrap="nowrap">
      <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#3346b0" />
        <circle cx="12" cy="16" r="5" fill="none" stroke="#fff" strokeWidth="3" />
        <path d="M17 16h9m-3 0v4" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      </svg>
      <Text fw={600}>Licensing</Text>
    </Group>
  );
}
