import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Product, policiesQuery, productQuery, updateProduct } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { Facts } from '../../components/Facts.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { LicensesOf } from '../../components/LicensesOf.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { FileText, Pencil, Plus } from '../../icons/icons.gen.ts';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { policyColumns } from '../policies/policy-columns.tsx';
import { ReleasesOf } from '../releases/ReleasesOf.tsx';
import { ProductActions } from './ProductActions.tsx';
import { ProductForm } from './ProductForm.tsx';
import { productDetailSearch } from './search.ts';

const parent = { label: 'Products', to: '/products' };

/** One product with its policies and licenses. */
export default function ProductScreen({ productId }: { readonly productId: string }) {
  const surface = useSurface();
  const query = useQuery(productQuery(surface, productId));
  if (query.data !== undefined) return <ProductPage product={query.data} />;
  return <UnloadedPage title="Product" parent={parent} error={query.error} refetch={query.refetch} skeleton={160} />;
}

function ProductPage({ product }: { readonly product: Product }) {
  const surface = useSurface();
  const [{ panel }, change] = useFilters(productDetailSearch);
  const close = () => void change({ panel: undefined });
  const mayUpdate = allows(surface, 'products', 'update');
  return (
    <Page
      title={product.name}
      parent={parent}
      badges={product.archived_at !== null && <StatusBadge status="archived" />}
      description={product.description ?? undefined}
      actions={
        <>
          {mayUpdate && (
            <ActionButton icon={Pencil} label="Edit product" onClick={() => void change({ panel: 'edit' })} />
          )}
          <ProductActions product={product} />
        </>
      }
    >
      <ProductFacts product={product} />
      <ReleasesOf productId={product.id} />
      <PoliciesOf product={product} />
      <LicensesOf filter={{ product_id: product.id }} owner="this product" />
      <FormDrawer title="Edit product" isOpen={mayUpdate && panel === 'edit'} onClose={close}>
        <ProductForm
          product={product}
          submitLabel="Save changes"
          submit={(input) => updateProduct(surface, product.id, input)}
        />
      </FormDrawer>
    </Page>
  );
}

function ProductFacts({ product }: { readonly product: Product }) {
  const { id, code, platforms, metadata, download_storage: storage, created_at, updated_at } = product;
  const hasMetadata = Object.keys(metadata).length > 0;
  return (
    <Section title="Details">
      <Facts
        items={[
          { label: 'Code', value: <CopyableText value={code} label="code" /> },
          { label: 'Platforms', value: platforms.join(', ') || '—' },
          { label: 'ID', value: <CopyableText value={id} label="product ID" maxLength={20} /> },
          { label: 'Created at', value: <TimeText value={created_at} /> },
          { label: 'Updated at', value: <TimeText value={updated_at} /> },
          ...(storage === null ? [] : [{ label: 'Download storage', value: `${storage.endpoint}/${storage.bucket}` }]),
          ...(hasMetadata
            ? [
                {
                  label: 'Metadata',
                  value: <Code style={{ overflowWrap: 'anywhere' }}>{JSON.stringify(metadata)}</Code>,
                },
              ]
            : []),
        ]}
      />
    </Section>
  );
}

function PoliciesOf({ product }: { readonly product: Product }) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const query = useQuery(policiesQuery(surface, { product_id: product.id, archived: 'all' }));
  const mayCreate = allows(surface, 'policies', 'create');
  const newButton = (
    <ActionButton
      icon={Plus}
      label="New policy"
      variant="default"
      onClick={() => void navigate('/policies/new', { search: { product_id: product.id } })}
    />
  );
  return (
    <Section title="Policies" description="Templates for licenses of this product." actions={mayCreate && newButton}>
      <DataTable
        caption="Policies of this product"
        columns={policyColumns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/policies/${id}`)}
        skeletonRows={3}
        empty={{
          icon: FileText,
          title: 'No policies yet',
          description:
            'A policy sets how long licenses of this product are valid, on how many devices they work, and what they include.',
          action: mayCreate && newButton,
        }}
      />
    </Section>
  );
}
