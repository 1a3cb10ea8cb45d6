import { Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { catalogProductQuery, commerceKey, deleteCatalogProduct } from '../../api/commerce.ts';
import { ConfirmButton } from '../../components/ConfirmDialog.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { ProductForm } from './ProductForm.tsx';

/** One product of the catalog, to edit and delete. */
export default function CatalogProductScreen({ productId: id }: { readonly productId: string }): ReactNode {
  const navigate = useNavigate();
  const { data: product, error, refetch } = useQuery(catalogProductQuery(id));
  const mayWrite = useWritesPlatform();
  const parent = { label: 'Catalog', to: '/catalog', search: { tab: 'products' } };
  if (product === undefined) {
    return <UnloadedPage title="Catalog product" parent={parent} error={error} refetch={refetch} skeleton={240} />;
  }
  return (
    <Page
      title={product.name}
      parent={parent}
      actions={
        mayWrite && (
          <ConfirmButton
            button={{ variant: 'default', c: 'var(--mantine-color-error)' }}
            title="Delete catalog product"
            onConfirm={async () => {
              await deleteCatalogProduct(id);
              await navigate({ to: '/admin/catalog', search: { tab: 'products' } });
            }}
            invalidates={[commerceKey]}
          >
            {product.name} is removed for good. Plans that belong to it must be moved to another product first.
          </ConfirmButton>
        )
      }
    >
      <Paper p="lg" maw={640}>
        <ProductForm key={product.updated_at} product={product} />
      </Paper>
    </Page>
  );
}
