import type { CustomerDetails } from '../../api/customers.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Section } from '../../components/Section.tsx';
import { listOf } from '../../lib/list-of.ts';
import { formatNumber, truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';

type Device = CustomerDetails['activations'][number];

/** The devices that use the licenses of a customer. */
export function DevicesOfCustomer({ customer }: { readonly customer: CustomerDetails }) {
  const { activations, active_activations_count: all, licenses } = customer;
  const keys = new Map(licenses.map(({ id, key }) => [id, truncateMiddle(key, 20)]));
  return (
    <Section
      title="Devices"
      {...(all > activations.length && {
        description: `The ${activations.length} newest of ${formatNumber(all)} devices.`,
      })}
    >
      <DataTable
        caption="Devices of this customer"
        columns={columnsWith(keys)}
        query={listOf(activations)}
        empty="No device uses a license of this customer."
      />
    </Section>
  );
}

function columnsWith(keys: ReadonlyMap<string, string>): readonly Column<Device>[] {
  return [
    {
      header: 'Device',
      cell: ({ name, hostname, fingerprint }) =>
        name ?? hostname ?? <CopyableText value={fingerprint} label="fingerprint" maxLength={16} />,
    },
    { header: 'Platform', isSecondary: true, cell: ({ platform }) => platform ?? '—' },
    {
      header: 'License',
      cell: ({ license_id }) => (
        <SurfaceLink to={`/licenses/${license_id}`} ff="monospace" size="sm">
          {keys.get(license_id) ?? truncateMiddle(license_id, 13)}
        </SurfaceLink>
      ),
    },
    timeColumn('Last heartbeat', ({ last_heartbeat_at }) => last_heartbeat_at, {
      format: 'relative',
      isSecondary: true,
    }),
    timeColumn('Activated', ({ created_at }) => created_at, { format: 'date', isSecondary: true }),
  ];
}
