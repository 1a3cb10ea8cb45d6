import { Group, Paper, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { PathLink } from '../../shell/PathLink.tsx';
import classes from './FigureCard.module.css';

interface FigureCardProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly hint?: ReactNode;
  /** The page with the details. */
  readonly to?: string;
  readonly search?: Readonly<Record<string, unknown>>;
  /** Whether somebody must act; a sign says it as well as the colour. */
  readonly needsAction?: boolean;
}

/** One figure with its name, which leads to its details. */
export function FigureCard({ label, value, hint, to, search, needsAction = false }: FigureCardProps) {
  const content = (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group gap={6} className={needsAction ? classes['bad'] : undefined}>
        {needsAction && <TriangleAlert size={16} aria-label="Needs action" />}
        <span className={`tabular ${classes['value']}`}>{value}</span>
      </Group>
      {hint !== undefined && (
        <Text size="sm" c="dimmed" component="div">
          {hint}
        </Text>
      )}
    </>
  );
  if (to === undefined) {
    return (
      <Paper p="md" className={classes['card'] ?? ''}>
        {content}
      </Paper>
    );
  }
  return (
    <Paper
      p="md"
      className={classes['card'] ?? ''}
      renderRoot={(props) => <PathLink to={to} {...(search && { search })} {...props} />}
    >
      {content}
    </Paper>
  );
}
