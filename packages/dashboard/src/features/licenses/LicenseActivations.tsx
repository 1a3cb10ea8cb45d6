import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Activation } from '../../api/activations.ts';
import { activationsQuery } from '../../api/activations.ts';
import type { License } from '../../api/licenses.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useActivationColumns } from '../activations/columns.tsx';
import { DeactivateDialog } from '../activations/DeactivateDialog.tsx';

interface LicenseActivationsProps {
  readonly license: License;
  readonly cursor: string | undefined;
}

/** The devices that use or used a license. */
export function LicenseActivations({ license, cursor }: LicenseActivationsProps) {
  const surface = useSurface();
  const [freed, setFreed] = useState<Activation | null>(null);
  const columns = useActivationColumns({ withLicense: false, onDeactivate: setFreed });
  const query = useQuery(
    activationsQuery(surface, { license_id: license.id, ...(cursor !== undefined && { cursor }) }),
  );
  return (
    <>
      <DataTable
        caption="Activations of the license"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        skeletonRows={3}
        empty={
          <Text p="md" size="md" c="dimmed">
            No device has activated this license. Your application activates it with a fingerprint of the device.
          </Text>
        }
      />
      <DeactivateDialog activation={freed} onClose={() => setFreed(null)} />
    </>
  );
}
