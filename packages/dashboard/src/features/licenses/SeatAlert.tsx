import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { MonitorOff } from 'lucide-react';
import { useState } from 'react';
import { type Activation, activationsKey, activationsQuery } from '../../api/activations.ts';
import { type License, licensesKey, type Policy, updateLicense } from '../../api/licenses.ts';
import { showProblem, useAction } from '../../components/use-action.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { formatDateTime, formatTimeToday } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { DeactivateDialog } from '../activations/columns.tsx';

interface SeatAlertProps {
  readonly license: License;
  readonly policy: Policy | undefined;
}

/** The most devices that may be active, with the overage of the policy; null: there is no limit. */
function admittedDevices(limit: number | null | undefined, policy: Policy | undefined): number | null {
  if (limit == null || policy === undefined || policy.activation_overage_percent === null) return null;
  return Math.floor((limit * (100 + policy.activation_overage_percent)) / 100);
}

/** Says that every seat is taken, since when devices are refused, and offers what helps. Nothing while a seat is free. */
export function SeatAlert({ license, policy }: SeatAlertProps) {
  const { activations_limit: limit, activations_count: active, refused_since, status } = license;
  const admitted = admittedDevices(limit, policy);
  if (limit == null || admitted === null || active < admitted || status !== 'active') return null;
  const isRefusing = refused_since != null;
  return (
    <Alert
      color={isRefusing ? 'red' : 'yellow'}
      icon={<MonitorOff size={18} aria-hidden="true" />}
      title={`${formatNumber(active)} of ${count(limit, 'device')} ${limit === 1 ? 'is' : 'are'} in use`}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="md" c="var(--mantine-color-text)">
          {isRefusing
            ? `New devices have been refused since ${sinceText(refused_since)}.`
            : 'The next new device will be refused.'}
        </Text>
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
    success: `The license may be used on ${formatNumber(limit + 1)} devices.`,
  });
  return (
    <Group gap="xs">
      {allows(surface, 'licenses', 'update') && (
        <Button
          size="xs"
          variant="default"
          loading={allow.isPending}
          onClick={() => allow.mutate(undefined, { onError: showProblem })}
        >
          Allow one more
        </Button>
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
