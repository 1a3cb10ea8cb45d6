import { Badge, Progress, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type EntitlementCheck, type License, licenseEntitlementsQuery } from '../../api/licenses.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Section } from '../../components/Section.tsx';
import { Mono } from '../../components/Texts.tsx';
import { formatNumber, words } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';

/** How much of a metered entitlement is used in the current period. */
function Use({ code, limit, usage }: { readonly code: string; readonly limit: number | null; readonly usage: number }) {
  const percent = limit === null || limit === 0 ? 0 : Math.min(100, (usage / limit) * 100);
  const color = percent >= 100 ? 'red' : percent >= 80 ? 'yellow' : 'accent';
  return (
    <Stack gap={4} w={160} maw="100%">
      <span className="tabular">{`${formatNumber(usage)} of ${limit === null ? 'unlimited' : formatNumber(limit)}`}</span>
      {limit !== null && <Progress value={percent} size="sm" aria-label={`Use of ${code}`} color={color} />}
    </Stack>
  );
}

function Grant({ check: { code, type, value, limit, usage, reason } }: { readonly check: EntitlementCheck }) {
  if (type === 'metered' && usage !== null) return <Use code={code} limit={limit} usage={usage} />;
  if (reason === 'ENTITLEMENT.NOT_GRANTED' || value === false) return 'Withheld';
  if (value === null || value === true) return 'Granted';
  return <Mono>{String(value)}</Mono>;
}

const columns: readonly Column<EntitlementCheck>[] = [
  {
    header: 'Entitlement',
    cell: ({ code }) => <Mono>{code}</Mono>,
  },
  { header: 'Grant and use', cell: (check) => <Grant check={check} /> },
  {
    header: 'From',
    isSecondary: true,
    cell: ({ source }) => (
      <Badge color={source === 'license' ? 'accent' : 'gray'}>{source === 'license' ? 'Overridden' : 'Policy'}</Badge>
    ),
  },
  timeColumn('Resets', ({ resets_at }) => resets_at, { format: 'relative', isSecondary: true }),
  timeColumn('Until', ({ expires_at }) => expires_at, {
    format: 'relative',
    fallback: 'End of license',
    isSecondary: true,
  }),
  {
    header: 'Access now',
    cell: ({ has_access, reason }) => (has_access ? 'Yes' : `No: ${words(reason?.split('.').at(-1) ?? 'refused')}`),
  },
];

/** The entitlements that apply to a license now, where they come from, and their use. */
export function LicenseEntitlements({ license }: { readonly license: License }) {
  const surface = useSurface();
  const query = useQuery(licenseEntitlementsQuery(surface, license.id));
  const page = query.data && { data: query.data.entitlements, meta: { next_cursor: null } };
  return (
    <Section title="Entitlements">
      <DataTable
        caption="Effective entitlements"
        columns={columns}
        query={{ ...query, data: page, refetch: query.refetch as never }}
        rowKey={({ code }) => code}
        skeletonRows={2}
        empty="Neither the policy nor the license grants an entitlement. A license without entitlements is valid or not, and nothing else."
      />
    </Section>
  );
}
