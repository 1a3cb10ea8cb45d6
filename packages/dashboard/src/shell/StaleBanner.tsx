import { Button, Group, Text } from '@mantine/core';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { isUnavailable } from '../api/query-client.ts';
import { CloudOff } from '../icons/icons.gen.ts';
import { formatTime } from '../lib/time.ts';
import classes from './Banner.module.css';

/** Returns whether the screen shows data of a query that cannot be read again at the moment. */
function isStale(query: Query): boolean {
  return query.isActive() && query.state.data !== undefined && isUnavailable(query.state.error);
}

/** Says that the service cannot be reached, and of when the data on the screen is. */
export function StaleBanner() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const oldest = useSyncExternalStore(
    useCallback((listener: () => void) => cache.subscribe(listener), [cache]),
    () =>
      cache.getAll().reduce((ms, query) => (isStale(query) ? Math.min(ms, query.state.dataUpdatedAt) : ms), Infinity),
  );
  if (!Number.isFinite(oldest)) return null;
  return (
    <Group className={classes['banner'] ?? ''} gap="xs" role="status">
      <CloudOff size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
      <Text size="sm" flex="1 1 200px">
        {navigator.onLine ? 'The service cannot be reached.' : 'You are offline.'} Showing data of {formatTime(oldest)}.
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => void client.refetchQueries({ predicate: isStale })}>
        Try again
      </Button>
    </Group>
  );
}
