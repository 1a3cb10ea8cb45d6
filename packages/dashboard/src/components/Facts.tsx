import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FactsProps {
  /** The names and values of an object's fields, in the order of reading. */
  readonly items: readonly { readonly label: string; readonly value: ReactNode }[];
  readonly cols?: number;
}

/** The fields of an object: a name above each value. */
export function Facts({ items, cols = 3 }: FactsProps) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: cols }} spacing="md" verticalSpacing="md" m={0}>
      {items.map(({ label, value }) => (
        <Stack key={label} gap={2} style={{ minWidth: 0 }}>
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
