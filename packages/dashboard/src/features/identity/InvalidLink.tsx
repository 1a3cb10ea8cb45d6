import { Alert, Text } from '@mantine/core';
import { Unlink } from 'lucide-react';
import type { ReactNode } from 'react';

/** Says that a mailed link does not work any more, and what to do. */
export function InvalidLink({ children }: { readonly children: ReactNode }) {
  return (
    <Alert role="alert" color="yellow" icon={<Unlink size={18} aria-hidden="true" />} p="md">
      <Text size="md" c="var(--mantine-color-text)" component="div">
        {children}
      </Text>
    </Alert>
  );
}
