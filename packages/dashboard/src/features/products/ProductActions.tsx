import { Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keyOf } from '../../api/query-client.ts';
import { archiveProduct, deleteProduct, type Product, policiesQuery } from '../../api/tenant-catalog.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { MoreActions } from '../../components/MoreActions.tsx';
import { useAction } from '../../components/use-action.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';

/** What can be done to the open product besides changing it. */
export function ProductActions({ product }: { readonly product: Product }) {
  const surface = useSurface();
  const [question, setQuestion] = useState<'archive' | 'delete' | null>(null);
  const unarchive = useAction({
    run: () => archiveProduct(surface, product.id, false),
    invalidates: [keyOf(surface, 'products')],
    success: 'Product unarchived',
  });
  if (!allows(surface, 'products', 'update')) return null;
  return (
    <>
      <MoreActions>
        {product.archived_at === null ? (
          <Menu.Item leftSection={<Archive size={14} aria-hidden="true" />} onClick={() => setQuestion('archive')}>
            Archive product
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<ArchiveRestore size={14} aria-hidden="true" />} onClick={() => unarchive.mutate()}>
            Unarchive product
          </Menu.Item>
        )}
        <Menu.Item
          color="red"
          leftSection={<Trash2 size={14} aria-hidden="true" />}
          onClick={() => setQuestion('delete')}
        >
          Delete product
        </Menu.Item>
      </MoreActions>
      {question === 'archive' && <ArchiveQuestion product={product} onClose={() => setQuestion(null)} />}
      {question === 'delete' && <DeleteQuestion product={product} onClose={() => setQuestion(null)} />}
    </>
  );
}

interface QuestionProps {
  readonly product: Product;
  /** Why it is asked. */
  readonly why?: string;
  readonly onClose: () => void;
}

function ArchiveQuestion({ product, why, onClose }: QuestionProps) {
  const surface = useSurface();
  const archive = useAction({
    run: () => archiveProduct(surface, product.id, true),
    invalidates: [keyOf(surface, 'products')],
    success: 'Product archived',
  });
  return (
    <ConfirmDialog
      title="Archive product"
      isDangerous={false}
      isOpen
      onClose={onClose}
      onConfirm={() => archive.mutateAsync()}
    >
      {why} No new licenses of <b>{product.name}</b> are issued, under any of its policies. Its licenses keep working.
      You can unarchive it at any time.
    </ConfirmDialog>
  );
}

/** Asks for the name only if the product has no policies. With policies, it offers to archive the product. */
function DeleteQuestion({ product, onClose }: QuestionProps) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const { data: policies } = useQuery(policiesQuery(surface, { product_id: product.id, archived: 'all' }));
  const client = useQueryClient();
  if (policies === undefined) return null;
  if (policies.data.length > 0) {
    const why = 'The product has policies, so it cannot be deleted.';
    if (product.archived_at === null) return <ArchiveQuestion product={product} why={why} onClose={onClose} />;
    return (
      <ConfirmDialog
        title="Keep product"
        isDangerous={false}
        isOpen
        onClose={onClose}
        onConfirm={() => Promise.resolve()}
      >
        {why} It is archived: no new licenses of it are issued.
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title="Delete product"
      typedName={product.name}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await deleteProduct(surface, product.id);
        // The page is left first, because it would read the deleted object again.
        await navigate('/products');
        void client.invalidateQueries({ queryKey: keyOf(surface, 'products') });
      }}
    >
      Applications that name <b>{product.code}</b> are then refused. This cannot be undone.
    </ConfirmDialog>
  );
}
