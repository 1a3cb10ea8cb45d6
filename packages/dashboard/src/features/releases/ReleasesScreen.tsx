import { useQuery } from '@tanstack/react-query';
import { createRelease, releasesQuery } from '../../api/releases.ts';
import { productQuery } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { Download, Plus } from '../../icons/icons.gen.ts';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { ReleaseForm } from './ReleaseForm.tsx';
import { purpose, releaseColumns } from './release-columns.tsx';
import { commonChannels, releaseSearch, releaseStatuses } from './search.ts';

/** The releases of a product. */
export default function ReleasesScreen({ productId }: { readonly productId: string }) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [{ panel, ...filters }, change, bar] = useFilters(releaseSearch, 'status', 'channel');
  const { data: product } = useQuery(productQuery(surface, productId));
  const query = useQuery(releasesQuery(surface, productId, filters));
  const mayCreate = allows(surface, 'products', 'create');
  const newButton = <ActionButton icon={Plus} label="New release" onClick={() => void change({ panel: 'new' })} />;
  const channels = [...new Set([...commonChannels, ...(filters.channel === undefined ? [] : [filters.channel])])];
  return (
    <Page
      title="Releases"
      parent={{ label: product?.name ?? 'Product', to: `/products/${productId}` }}
      description="The versions of the product, the newest first."
      actions={mayCreate && newButton}
    >
      <FilterBar filters={bar}>
        <SelectFilter name="status" label="Status" options={releaseStatuses} />
        <SelectFilter name="channel" label="Channel" options={channels} />
      </FilterBar>
      <DataTable
        caption="Releases"
        columns={releaseColumns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/products/${productId}/releases/${id}`)}
        empty={{
          icon: Download,
          title: 'No releases yet',
          description: purpose,
          action: mayCreate && newButton,
          noMatch: bar.isFiltered && {
            icon: Download,
            title: 'No releases match',
            description: 'Choose another status or channel.',
          },
        }}
      />
      <FormDrawer
        title="New release"
        size="xl"
        isOpen={mayCreate && panel === 'new'}
        onClose={() => void change({ panel: undefined, cursor: filters.cursor })}
      >
        <ReleaseForm
          submitLabel="Create draft"
          submit={(input, key) => createRelease(surface, productId, input, key)}
          onSaved={({ id }) => navigate(`/products/${productId}/releases/${id}`)}
        />
      </FormDrawer>
    </Page>
  );
}
