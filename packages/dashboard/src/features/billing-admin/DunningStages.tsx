import { Group, Text, Tooltip } from '@mantine/core';
import classes from './DunningStages.module.css';

const stages = [
  { name: 'failed', label: 'Payment failed' },
  { name: 'mid_grace', label: 'Half of the grace' },
  { name: 'last_day', label: 'Last day' },
  { name: 'suspended', label: 'Suspended' },
] as const;

/** How far the reminders of a failed payment are: one bar per stage, and the last stage in words. */
export function DunningStages({ told }: { readonly told: readonly string[] }) {
  const last = stages.findLast(({ name }) => told.includes(name));
  return (
    <Group gap={8} wrap="nowrap">
      <Tooltip label={stages.map(({ name, label }) => `${label}${told.includes(name) ? ' ✓' : ''}`).join(' · ')}>
        <Group gap={3} wrap="nowrap" aria-hidden="true">
          {stages.map(({ name }) => (
            <span key={name} className={classes['bar']} data-told={told.includes(name)} />
          ))}
        </Group>
      </Tooltip>
      <Text span inherit>
        {last?.label ?? 'None yet'}
      </Text>
    </Group>
  );
}
