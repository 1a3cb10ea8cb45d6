import { Alert, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { activationsQuery } from '../../api/activations.ts';
import { type License, type LicenseCheck, licenseChecksQuery } from '../../api/licenses.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { AlertText, Dimmed } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { CircleAlert } from '../../icons/icons.gen.ts';
import { formatNumber } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { deviceName } from '../activations/columns.tsx';
import { checkWords } from './check-words.ts';
import { licenseSearch } from './search.ts';

interface LicenseChecksProps {
  readonly license: License;
}

/** What the devices of a license asked recently, and what they were told. */
export function LicenseChecks({ license }: LicenseChecksProps) {
  const surface = useSurface();
  const [{ refused }, change] = useFilters(licenseSearch);
  const filter = refused === true ? { is_allowed: false } : {};
  const query = useQuery(licenseChecksQuery(surface, license.id, filter));
  const { data: devices } = useQuery(activationsQuery(surface, { license_id: license.id }));
  const names = new Map(devices?.data.map((device) => [device.fingerprint, deviceName(device)]));
  const newest = query.data?.data[0];
  return (
    <Stack gap="sm">
      {newest !== undefined && !newest.is_allowed && <NewestRefusal check={newest} />}
      <Switch
        label="Only refused"
        checked={refused === true}
        onChange={({ currentTarget }) => void change({ refused: currentTarget.checked ? true : undefined })}
      />
      <DataTable
        caption="Checks of the license"
        columns={columnsWith(names, license.status === 'active')}
        query={query}
        rowKey={({ kind, fingerprint, code }) => `${kind} ${fingerprint} ${code}`}
        skeletonRows={3}
        empty={
          refused === true
            ? 'No device was refused recently.'
            : 'No device has asked about this license recently. A check appears here a few seconds after it was made.'
        }
      />
    </Stack>
  );
}

/** Says why the newest check was refused, and what helps. */
function NewestRefusal({ check }: { readonly check: LicenseCheck }) {
  const { meaning, help } = checkWords(check);
  return (
    <Alert color="yellow" icon={<CircleAlert size={18} aria-hidden="true" />} title="The newest check was refused">
      <AlertText>
        {meaning} {help}
      </AlertText>
    </Alert>
  );
}

function columnsWith(names: ReadonlyMap<string, string>, isActive: boolean): readonly Column<LicenseCheck>[] {
  return [
    { header: 'Result', cell: (check) => <Result check={check} isActive={isActive} /> },
    {
      header: 'Device',
      cell: ({ fingerprint }) => {
        const name = fingerprint === null ? undefined : names.get(fingerprint);
        if (fingerprint === null) return <Dimmed>Not named</Dimmed>;
        return name ?? <CopyableText value={fingerprint} label="fingerprint" maxLength={16} />;
      },
    },
    { header: 'Version', isSecondary: true, cell: ({ app_version }) => app_version ?? <Dimmed>—</Dimmed> },
    { header: 'Address', isSecondary: true, cell: ({ address }) => address ?? <Dimmed>—</Dimmed> },
    { header: 'Times', isSecondary: true, align: 'right', cell: (check) => formatNumber(check.count) },
    timeColumn('First', ({ first_at }) => first_at, { isSecondary: true }),
    timeColumn('Last', ({ last_at }) => last_at, { format: 'relative', isSecondary: true }),
  ];
}

interface ResultProps {
  readonly check: LicenseCheck;
  readonly isActive: boolean;
}

/** What a device was told. A license that is not active shows nothing in green: what it allowed before is over. */
function Result({ check, isActive }: ResultProps) {
  const { kind, code, is_allowed, last_at } = check;
  const asked = kind === 'activation' ? 'Device' : 'Validation';
  return (
    <Stack gap={2} align="flex-start" maw={{ base: 150, xs: 320 }}>
      <StatusBadge
        status={is_allowed ? 'valid' : 'invalid'}
        label={`${asked} ${is_allowed ? 'allowed' : 'refused'}`}
        {...(is_allowed && !isActive && { tone: 'neutral' })}
      />
      <Text span size="xs" c="dimmed" title={code}>
        {checkWords(check).meaning}
      </Text>
      {/* A narrow window has no room for a column of its own. */}
      <Text span size="xs" c="dimmed" hiddenFrom="sm">
        <TimeText value={last_at} format="relative" />
      </Text>
    </Stack>
  );
}
