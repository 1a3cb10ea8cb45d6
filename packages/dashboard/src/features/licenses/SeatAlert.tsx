import { Alert, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Activation, activationsKey, activationsQuery } from '../../api/activations.ts';
import { type License, licensesKey, updateLicense } from '../../api/licenses.ts';
import { RunButton } from '../../components/RunButton.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { useAction } from '../../components/use-action.ts';
import { MonitorOff } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import { formatDateTime, formatTimeToday } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { DeactivateDialog } from '../activations/columns.tsx';
import { devicesSentence } from './columns.tsx';

interface SeatAlertProps {
  readonly license: License;
}

/** Says that every seat is taken, since when devices are refused, and offers what helps. Nothing while a seat is free. */
export function SeatAlert({ license }: SeatAlertProps) {
  const { activations_limit: limit, activations_admitted: admitted, activations_count: active } = license;
  const { refused_since, status } = license;
  if (limit == null || admitted == null || active < admitted || status !== 'active') return null;
  const isRefusing = refused_since != null;
  return (
    <Alert
      color={isRefusing ? 'red' : 'yellow'}
      icon={<MonitorOff size={18} aria-hidden="true" />}
      title={devicesSentence(license)}
    >
      <Stack gap="sm" align="flex-start">
        <AlertText>
          {isRefusing
            ? `New devices have been refused since ${sinceText(refused_since)}.`
            : 'The next new device will be refused.'}
        </AlertText>
        <Remedies license={license} limit={limit} />
      </Stack>
    </Alert>
  );
}

const sinceText = (at: string) => formatTimeToday(at) ?? formatDateTime(at);

function Remedies({ license, limit }: { readonly license: License; readonly limit: number }) {
  const surface = useSurface();
  const [freed, setFreed] = useState<Activation | null>(null);
  const mayDeactivate = allows(surface, 'activations', 'delete');
  const filter = { license_id: license.id, status: 'active', limit: 100 } as const;
  const { data } = useQuery({ ...activationsQuery(surface, filter), enabled: mayDeactivate });
  const oldest = data?.meta.next_cursor === null ? oldestOf(data.data) : undefined;
  const allow = useAction({
    run: () => updateLicense(surface, license.id, { max_activations: limit + 1 }),
    invalidates: [licensesKey(surface), activationsKey(surface)],
    success: `The license is for ${count(limit + 1, 'device')} now.`,
  });
  return (
    <Group gap="xs">
      {allows(surface, 'licenses', 'update') && (
        <RunButton action={allow} size="xs" variant="default">
          Allow one more
        </RunButton>
      )}
      {mayDeactivate && oldest !== undefined && (
        <Button size="xs" variant="default" onClick={() => setFreed(oldest)}>
          Release the oldest
        </Button>
      )}
      <DeactivateDialog activation={freed} onClose={() => setFreed(null)} />
    </Group>
  );
}

/** Returns the device that has been silent for the longest time. */
function oldestOf(devices: readonly Activation[]): Activation | undefined {
  return devices.toSorted((left, right) => (left.last_heartbeat_at < right.last_heartbeat_at ? -1 : 1))[0];
}
