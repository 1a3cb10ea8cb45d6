import { useQuery } from '@tanstack/react-query';
import { licensesOfQuery } from '../api/licenses.ts';
import { KeyRound } from '../icons/icons.gen.ts';
import { truncateMiddle } from '../lib/text.ts';
import { pathOn, SurfaceLink } from '../shell/SurfaceLink.tsx';
import { useSurface } from '../shell/surface-context.ts';
import { type Column, DataTable } from './DataTable.tsx';
import { ExpiryText } from './ExpiryText.tsx';
import { Section } from './Section.tsx';
import { StatusBadge } from './StatusBadge.tsx';
import { Mono } from './Texts.tsx';

type LicenseRow = NonNullable<
  Awaited<ReturnType<NonNullable<ReturnType<typeof licensesOfQuery>['queryFn']>>>
>['data'][number];

const columns: readonly Column<LicenseRow>[] = [
  {
    header: 'Key',
    cell: ({ key }) => <Mono>{truncateMiddle(key, 20)}</Mono>,
  },
  { header: 'Customer', cell: ({ holder }) => holder.name ?? holder.email ?? '—' },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: 'Expires at',
    cell: (license) => <ExpiryText license={license} />,
    isSecondary: true,
  },
];

interface LicensesOfProps {
  readonly filter: { readonly product_id: string } | { readonly policy_id: string };
  /** What the licenses belong to, for the empty state: "this policy". */
  readonly owner: string;
}

/** The newest licenses of a product or a policy, with a link to all of them. */
export function LicensesOf({ filter, owner }: LicensesOfProps) {
  const surface = useSurface();
  const query = useQuery(licensesOfQuery(surface, filter));
  const all = (
    <SurfaceLink to="/licenses" search={filter} size="sm">
      All licenses of {owner}
    </SurfaceLink>
  );
  return (
    <Section title="Licenses" description="The 10 newest licenses." actions={all}>
      <DataTable
        caption={`Licenses of ${owner}`}
        columns={columns}
        query={{ ...query, data: query.data && { ...query.data, meta: { next_cursor: null } } }}
        rowPath={({ id }) => pathOn(surface, `/licenses/${id}`)}
        skeletonRows={3}
        empty={{
          icon: KeyRound,
          title: 'No licenses yet',
          description: `Licenses of ${owner} appear here when you issue them.`,
        }}
      />
    </Section>
  );
}
