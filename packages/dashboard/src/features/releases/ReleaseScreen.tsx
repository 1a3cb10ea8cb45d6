import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Artifact, type Release, releaseDownloadsQuery, releaseQuery, updateRelease } from '../../api/releases.ts';
import { entitlementOptionsQuery, productQuery } from '../../api/tenant-catalog.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { AlertText, Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { Download } from '../../icons/icons.gen.ts';
import { listOf } from '../../lib/list-of.ts';
import { formatBytes, formatNumber, words } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { targetText } from './artifact-file.ts';
import { ReleaseActions } from './ReleaseActions.tsx';
import { ReleaseForm } from './ReleaseForm.tsx';
import { releaseDetailSearch } from './search.ts';

interface ReleaseScreenProps {
  readonly productId: string;
  readonly releaseId: string;
}

/** One release: its files, its notes and its downloads. */
export default function ReleaseScreen({ productId, releaseId }: ReleaseScreenProps) {
  const surface = useSurface();
  const query = useQuery(releaseQuery(surface, productId, releaseId));
  const { data: product } = useQuery(productQuery(surface, productId));
  const parent = {
    label: product === undefined ? 'Releases' : `Releases of ${product.name}`,
    to: `/products/${productId}/releases`,
  };
  if (query.data !== undefined) return <ReleasePage release={query.data} parent={parent} />;
  return <UnloadedPage title="Release" parent={parent} error={query.error} refetch={query.refetch} skeleton={160} />;
}

interface ReleasePageProps {
  readonly release: Release;
  readonly parent: { readonly label: string; readonly to: string };
}

function ReleasePage({ release, parent }: ReleasePageProps) {
  const surface = useSurface();
  const [{ panel }, change] = useFilters(releaseDetailSearch);
  const mayEdit = allows(surface, 'products', 'update') && release.status === 'draft';
  return (
    <Page
      title={release.version}
      parent={parent}
      badges={<StatusBadge status={release.status} />}
      actions={<ReleaseActions release={release} onEdit={() => void change({ panel: 'edit' })} />}
    >
      {release.status === 'yanked' && (
        <Alert color="red" title="Nobody can download this release">
          <AlertText>{release.yanked_reason}</AlertText>
        </Alert>
      )}
      <ReleaseFacts release={release} />
      <Files release={release} />
      <Section title="Notes">
        {release.notes === '' ? <Hint>There are no notes.</Hint> : <Markdown>{release.notes}</Markdown>}
      </Section>
      {release.released_at !== null && <Downloads release={release} />}
      <FormDrawer
        title="Edit release"
        size="xl"
        isOpen={mayEdit && panel === 'edit'}
        onClose={() => void change({ panel: undefined })}
      >
        <ReleaseForm
          release={release}
          submitLabel="Save changes"
          submit={(input) => updateRelease(surface, release.product_id, release.id, input)}
        />
      </FormDrawer>
    </Page>
  );
}

function ReleaseFacts({ release }: { readonly release: Release }) {
  const { data: entitlements = [] } = useQuery(entitlementOptionsQuery(useSurface()));
  const names = new Map(entitlements.map(({ code, name }) => [code, name]));
  const needed = release.minimum_entitlements.map((code) => names.get(code) ?? code);
  return (
    <Section title="Details">
      <Facts
        items={[
          { label: 'Channel', value: words(release.channel) },
          { label: 'Released at', value: <TimeText value={release.released_at} fallback="Not yet" /> },
          { label: 'Downloads', value: formatNumber(release.downloads_count) },
          { label: 'Minimum entitlements', value: needed.join(', ') || 'None' },
          { label: 'ID', value: <CopyableText value={release.id} label="release ID" maxLength={20} /> },
          { label: 'Updated at', value: <TimeText value={release.updated_at} /> },
        ]}
      />
    </Section>
  );
}

const fileColumns: readonly Column<Artifact>[] = [
  {
    header: 'File',
    cell: ({ file_name, platform, arch }) => (
      <Stack gap={0} style={{ overflowWrap: 'anywhere' }}>
        {file_name}
        <Hint>{targetText(platform, arch)}</Hint>
      </Stack>
    ),
  },
  { header: 'Size', cell: ({ size }) => formatBytes(size), align: 'right', isSecondary: true },
  {
    header: 'URL',
    cell: ({ url, file_name }) => <CopyableText value={url} label={`URL of ${file_name}`} maxLength={44} />,
    isSecondary: true,
  },
  {
    header: 'SHA-256',
    cell: ({ sha256, file_name }) => <CopyableText value={sha256} label={`SHA-256 of ${file_name}`} maxLength={12} />,
  },
];

function Files({ release }: { readonly release: Release }) {
  return (
    <Section title="Files">
      <DataTable
        caption="Files"
        columns={fileColumns}
        query={listOf(release.artifacts)}
        empty={{
          icon: Download,
          title: 'No files yet',
          description: 'Edit the release and add a file to publish it.',
        }}
      />
    </Section>
  );
}

const dayMs = 86_400_000;
const shownDays = 30;

function Downloads({ release }: { readonly release: Release }) {
  const surface = useSurface();
  const days = useMemo(() => {
    const today = Math.floor(Date.now() / dayMs) * dayMs;
    return Array.from({ length: shownDays }, (_, index) =>
      new Date(today - (shownDays - 1 - index) * dayMs).toISOString().slice(0, 10),
    );
  }, []);
  const query = useQuery(releaseDownloadsQuery(surface, release.product_id, release.id, { from: days[0] ?? '' }));
  const counts = new Map(query.data?.map(({ day, count }) => [day, count]));
  const points = days.map((day) => ({ start: `${day}T00:00:00Z`, count: counts.get(day) ?? 0 }));
  return (
    <Section title="Downloads per day" description={`The last ${shownDays} days, in UTC.`}>
      {query.data === undefined ? (
        <QueryPlaceholder error={query.error} refetch={query.refetch} skeleton={200} />
      ) : query.data.length === 0 ? (
        <Hint>There were no downloads.</Hint>
      ) : (
        <TimeChart
          label="Downloads per day"
          points={points}
          series={[{ name: 'count', label: 'Downloads', color: 'accent.6' }]}
          interval="day"
          height={200}
        />
      )}
    </Section>
  );
}
