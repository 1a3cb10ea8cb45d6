import { Paper, Text } from '@mantine/core';
import { Hint } from '../../components/Texts.tsx';
import { policySummary } from './summary.ts';
import type { PolicyValues } from './values.ts';

/** What the policy's fields mean together, in a sentence that follows every change. */
export function PolicySummary({ values }: { readonly values: PolicyValues }) {
  return (
    <Paper p="md" component="section" aria-label="Summary">
      <Hint mb={4}>Licenses of this policy are</Hint>
      <Text fw={600} role="status" aria-live="polite">
        {policySummary(values)}
      </Text>
    </Paper>
  );
}
