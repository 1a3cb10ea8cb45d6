import { Button, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { type Activation, activationsKey, deactivate } from '../../api/activations.ts';
import { licensesKey } from '../../api/licenses.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { timeColumn } from '../../components/DataTable.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { MonitorOff } from '../../icons/icons.gen.ts';
import { truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { holderName } from '../licenses/columns.tsx';

/** Returns how people recognise a device: its name, otherwise the host or the fingerprint. */
export function deviceName({ name, hostname, fingerprint }: Activation): string {
  return name ?? hostname ?? truncateMiddle(fingerprint, 24);
}

function Device({ activation }: { readonly activation: Activation }) {
  const { platform, hostname, name } = activation;
  const second = [name === null ? null : hostname, platform].filter(Boolean).join(' · ');
  return (
    <Stack gap={0} maw={{ base: 120, xs: 260 }}>
      <Text span inherit truncate title={deviceName(activation)}>
        {deviceName(activation)}
      </Text>
      {second !== '' && (
        <Text span size="xs" c="dimmed" truncate>
          {second}
        </Text>
      )}
    </Stack>
  );
}

interface ActivationColumnsOptions {
  readonly withLicense: boolean;
  readonly onDeactivate: (activation: Activation) => void;
  /** Opens the panel of a device. */
  readonly onOpen?: (activation: Activation) => void;
}

/** Returns the columns of a list of activations for the person's role. */
export function useActivationColumns(options: ActivationColumnsOptions): readonly Column<Activation>[] {
  const { withLicense, onDeactivate, onOpen } = options;
  const mayDelete = allows(useSurface(), 'activations', 'delete');
  return useMemo(
    () => [
      {
        header: 'Device',
        cell: (activation: Activation) =>
          onOpen === undefined ? (
            <Device activation={activation} />
          ) : (
            <Button
              variant="transparent"
              c="inherit"
              p={0}
              h="auto"
              ta="left"
              fw={500}
              styles={{ label: { whiteSpace: 'normal' } }}
              onClick={() => onOpen(activation)}
            >
              <Device activation={activation} />
            </Button>
          ),
      },
      ...(withLicense
        ? [
            {
              header: 'License',
              cell: ({ license, license_id }: Activation) => (
                <Stack gap={0} maw={{ base: 96, xs: 220 }}>
                  <SurfaceLink to={`/licenses/${license_id}`} truncate inherit>
                    {holderName(license.holder) ?? truncateMiddle(license.key, 19)}
                  </SurfaceLink>
                  <Text span size="xs" c="dimmed" ff="monospace" truncate>
                    {truncateMiddle(license.key, 19)}
                  </Text>
                </Stack>
              ),
            },
          ]
        : []),
      {
        header: 'Fingerprint',
        isSecondary: true,
        cell: ({ fingerprint }: Activation) => <CopyableText value={fingerprint} label="fingerprint" maxLength={16} />,
      },
      { header: 'Status', cell: ({ status }: Activation) => <StatusBadge status={status} /> },
      timeColumn('Last heartbeat', ({ last_heartbeat_at }: Activation) => last_heartbeat_at, {
        format: 'relative',
        isSecondary: true,
      }),
      timeColumn('Lease ends', ({ lease_expires_at }: Activation) => lease_expires_at, {
        format: 'relative',
        fallback: 'No lease',
        isSecondary: true,
      }),
      ...(mayDelete
        ? [
            {
              header: 'Actions',
              isHeaderHidden: true,
              // The panel of a device has the button as well.
              isSecondary: withLicense,
              align: 'right' as const,
              cell: (activation: Activation) =>
                activation.status === 'active' && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Release ${deviceName(activation)}`}
                    onClick={() => onDeactivate(activation)}
                  >
                    <MonitorOff size={13} aria-hidden="true" />
                    <Text span inherit ml={6} visibleFrom="xs">
                      Release
                    </Text>
                  </Button>
                ),
            },
          ]
        : []),
    ],
    [mayDelete, withLicense, onDeactivate, onOpen],
  );
}

interface DeactivateDialogProps {
  /** The device to deactivate; null: the dialog is closed. */
  readonly activation: Activation | null;
  readonly onClose: () => void;
}

/** Frees the seat of a device after a question. */
export function DeactivateDialog({ activation, onClose }: DeactivateDialogProps) {
  const surface = useSurface();

  return (
    <ConfirmDialog
      title="Release device"
      isOpen={activation !== null}
      onClose={onClose}
      onConfirm={async () => {
        if (activation !== null) await deactivate(surface, activation.id);
      }}
      invalidates={[activationsKey(surface), licensesKey(surface)]}
    >
      {activation !== null && (
        <>
          “{deviceName(activation)}” stops at its next check, and another device can be used. The device can be
          activated again.
        </>
      )}
    </ConfirmDialog>
  );
}
