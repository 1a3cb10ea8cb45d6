import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { demoDataQuery, removeDemoData } from '../../api/demo-data.ts';
import { keyOf } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { count } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import classes from './DemoBanner.module.css';

/** Says that the tenant has demo data, and removes it. */
export function DemoBanner() {
  const surface = useSurface();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { data } = useQuery(demoDataQuery(surface));
  if (data?.present !== true) return null;
  return (
    <Group className={classes['banner'] ?? ''} gap="xs" component="aside" aria-label="Demo data">
      <FlaskConical size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
      <Text size="sm" flex="1 1 140px">
        This tenant contains demo data.
      </Text>
      {allows(surface, 'demo-data', 'delete') && (
        <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
          Remove demo data
        </Button>
      )}
      <ConfirmDialog
        title="Remove demo data"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await removeDemoData(surface);
          await client.invalidateQueries({ queryKey: keyOf(surface) });
        }}
      >
        This deletes what the demo created: {count(data.products, 'product')},{' '}
        {count(data.policies, 'policy', 'policies')}, {count(data.licenses, 'license')} with their activations and
        usage, {count(data.webhooks, 'webhook endpoint')} and {count(data.members, 'member')}. What you created stays.
        It cannot be undone.
      </ConfirmDialog>
    </Group>
  );
}
