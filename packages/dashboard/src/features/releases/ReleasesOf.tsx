import { useQuery } from '@tanstack/react-query';
import { releasesQuery } from '../../api/releases.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { Section } from '../../components/Section.tsx';
import { Download, Plus } from '../../icons/icons.gen.ts';
import { pathOn, SurfaceLink, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { purpose, releaseColumns } from './release-columns.tsx';

const newestMax = 5;

/** The newest releases on the page of their product, with a link to all of them. */
export function ReleasesOf({ productId }: { readonly productId: string }) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const query = useQuery(releasesQuery(surface, productId, { limit: newestMax }));
  const path = `/products/${productId}/releases`;
  const newButton = (
    <ActionButton
      icon={Plus}
      label="New release"
      variant="default"
      onClick={() => void navigate(path, { search: { panel: 'new' } })}
    />
  );
  const mayCreate = allows(surface, 'products', 'create');
  return (
    <Section
      title="Releases"
      description="The newest versions."
      actions={
        <>
          <SurfaceLink to={path} size="sm">
            All releases
          </SurfaceLink>
          {mayCreate && newButton}
        </>
      }
    >
      <DataTable
        caption="Releases of this product"
        columns={releaseColumns}
        query={{ ...query, data: query.data && { ...query.data, meta: { next_cursor: null } } }}
        rowPath={({ id }) => pathOn(surface, `${path}/${id}`)}
        skeletonRows={3}
        empty={{
          icon: Download,
          title: 'No releases yet',
          description: purpose,
          action: mayCreate && newButton,
        }}
      />
    </Section>
  );
}
