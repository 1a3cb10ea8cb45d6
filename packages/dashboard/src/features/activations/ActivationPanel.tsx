import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import type { Activation } from '../../api/activations.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { holderName } from '../licenses/columns.tsx';
import { deviceName } from './columns.tsx';

interface ActivationPanelProps {
  readonly activation: Activation | undefined;
  readonly onClose: () => void;
  readonly onDeactivate: (activation: Activation) => void;
}

/** Everything about one device, beside the list. */
export function ActivationPanel({ activation, onClose, onDeactivate }: ActivationPanelProps) {
  return (
    <Drawer
      opened={activation !== undefined}
      onClose={onClose}
      title={
        <Text fw={600} size="lg">
          {activation === undefined ? 'Device' : deviceName(activation)}
        </Text>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {activation !== undefined && <Details activation={activation} onDeactivate={onDeactivate} />}
    </Drawer>
  );
}

function Details({
  activation,
  onDeactivate,
}: Pick<ActivationPanelProps, 'onDeactivate'> & { readonly activation: Activation }) {
  const surface = useSurface();
  const { license, metadata } = activation;
  return (
    <Stack gap="lg">
      <Facts
        cols={2}
        items={[
          { label: 'Status', value: <StatusBadge status={activation.status} /> },
          {
            label: 'License',
            value: (
              <SurfaceLink to={`/licenses/${activation.license_id}`}>
                {holderName(license.holder) ?? truncateMiddle(license.key, 19)}
              </SurfaceLink>
            ),
          },
          { label: 'Name', value: activation.name ?? '—' },
          { label: 'Host name', value: activation.hostname ?? '—' },
          { label: 'Platform', value: activation.platform ?? '—' },
          { label: 'Address', value: activation.ip ?? '—' },
          {
            label: 'Fingerprint',
            value: <CopyableText value={activation.fingerprint} label="fingerprint" maxLength={24} />,
          },
          {
            label: 'Activation id',
            value: <CopyableText value={activation.id} label="activation id" maxLength={19} />,
          },
          { label: 'Activated', value: <TimeText value={activation.created_at} /> },
          { label: 'Last heartbeat', value: <TimeText value={activation.last_heartbeat_at} format="relative" /> },
          { label: 'Lease ends', value: <TimeText value={activation.lease_expires_at} fallback="No lease" /> },
        ]}
      />
      {Object.keys(metadata).length > 0 && <CodeBlock code={JSON.stringify(metadata, null, 2)} label="metadata" />}
      {activation.status === 'active' && allows(surface, 'activations', 'delete') && (
        <Group>
          <Button color="red" variant="light" onClick={() => onDeactivate(activation)}>
            Deactivate device
          </Button>
        </Group>
      )}
    </Stack>
  );
}
