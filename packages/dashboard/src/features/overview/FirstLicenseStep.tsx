import { Box, Group, Text } from '@mantine/core';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './FirstLicense.module.css';

interface FirstLicenseStepProps {
  readonly number: number;
  readonly state: 'done' | 'current' | 'waiting';
  readonly title: string;
  /** What the step created, shown once it is done. */
  readonly result?: ReactNode;
  readonly children?: ReactNode;
}

/** One step of the guide: a mark, its name, and what to do now or what it created. */
export function FirstLicenseStep({ number, state, title, result, children }: FirstLicenseStepProps) {
  return (
    <li className={classes['step']} {...(state === 'current' && { 'aria-current': 'step' })}>
      <span className={classes['mark']} data-state={state} aria-hidden="true">
        {state === 'done' ? <Check size={14} strokeWidth={3} /> : number}
      </span>
      <Box style={{ minWidth: 0 }}>
        <Group gap="xs" mih={24} wrap="wrap">
          <Text size="md" fw={state === 'waiting' ? 400 : 500} {...(state === 'waiting' && { c: 'dimmed' })}>
            {title}
            <span className="visually-hidden">{state === 'done' ? ' (done)' : ''}</span>
          </Text>
          {state === 'done' && result}
        </Group>
        {children && (
          <Box mt="xs" maw={720}>
            {children}
          </Box>
        )}
      </Box>
    </li>
  );
}
