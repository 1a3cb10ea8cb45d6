import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { Verdict } from '../../api/licenses.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { formatExact } from '../../lib/time.ts';

/** The look of a verdict: valid, valid with a restriction, or refused. */
function lookOf({ valid, code }: Verdict) {
  if (!valid) return { color: 'red', Icon: CircleAlert, title: 'Not valid' };
  if (code !== 'LICENSE.VALID') return { color: 'yellow', Icon: TriangleAlert, title: 'Valid, with a warning' };
  return { color: 'teal', Icon: CircleCheck, title: 'Valid' };
}

/** A verdict: whether the license is valid, why, and the answer as the application receives it. */
export function VerdictResult({ verdict }: { readonly verdict: Verdict }) {
  const { color, Icon, title } = lookOf(verdict);
  return (
    <Stack gap="sm">
      <Alert color={color} variant="light" icon={<Icon size={18} aria-hidden="true" />} p="sm">
        <Stack gap={4}>
          <Group gap="xs">
            <Text fw={600} size="md" c="var(--mantine-color-text)">
              {title}
            </Text>
            <Code>{verdict.code}</Code>
          </Group>
          <Text size="md" c="var(--mantine-color-text)">
            {verdict.detail}
          </Text>
          <Text size="xs" c="var(--mantine-color-text)" className="tabular">
            {formatExact(verdict.checked_at)}
          </Text>
        </Stack>
      </Alert>
      <div style={{ maxHeight: 260, overflow: 'auto' }}>
        <CodeBlock code={JSON.stringify(verdict, null, 2)} label="answer" />
      </div>
    </Stack>
  );
}
