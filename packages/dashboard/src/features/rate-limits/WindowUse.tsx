import { Group, Progress, Stack } from '@mantine/core';
import { Dimmed } from '../../components/Texts.tsx';
import { formatNumber } from '../../lib/text.ts';

interface WindowUseProps {
  readonly used: number;
  readonly ceiling: number;
  /** Whose window it is, for screen readers. */
  readonly label: string;
}

const nearlyUsed = 80;

/** How much of the current minute's requests is used. */
export function WindowUse({ used, ceiling, label }: WindowUseProps) {
  const share = ceiling === 0 ? 0 : Math.min((used / ceiling) * 100, 100);
  return (
    <Stack gap={4} maw={220}>
      <Group gap={4} wrap="nowrap" className="tabular">
        {formatNumber(used)}
        <Dimmed style={{ whiteSpace: 'nowrap' }}>of {formatNumber(ceiling)}</Dimmed>
      </Group>
      <Progress size={4} value={share} color={share > nearlyUsed ? 'red' : 'accent'} aria-label={`${label} in use`} />
    </Stack>
  );
}
