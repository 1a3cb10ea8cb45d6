import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { releasesQuery } from '../../api/releases.ts';
import { archiveProduct, deleteProduct, type Product, policiesQuery } from '../../api/tenant-catalog.ts';
import { type Archivable, ArchiveItems, ArchiveQuestion, DeleteQuestion } from '../../components/ArchiveDialogs.tsx';
import { ActionItem, MoreActions } from '../../components/MoreActions.tsx';
import { RotateCcw } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { AllowTrialDialog } from './AllowTrialDialog.tsx';

/** What can be done to the open product besides changing it. */
export function ProductActions({ product }: { readonly product: Product }) {
  const surface = useSurface();
  const [question, setQuestion] = useState<'archive' | 'delete' | 'trial' | null>(null);
  const { data: policies } = useQuery({
    ...policiesQuery(surface, { product_id: product.id, archived: 'all' }),
    enabled: question === 'delete',
  });
  const { data: releases } = useQuery({
    ...releasesQuery(surface, product.id, { limit: 1 }),
    enabled: question === 'delete',
  });
  if (!allows(surface, 'products', 'update')) return null;
  const subject: Archivable = {
    noun: 'product',
    list: 'products',
    name: product.name,
    isArchived: product.archived_at !== null,
    setArchived: (isArchived) => archiveProduct(surface, product.id, isArchived),
    remove: () => deleteProduct(surface, product.id),
  };
  const close = () => setQuestion(null);
  const archiving = (
    <>
      You cannot issue new licenses for <b>{product.name}</b> while it is archived. Existing licenses keep working and
      can be renewed. You can unarchive the product at any time.
    </>
  );
  const deletion = (
    <>
      Applications that use the code <b>{product.code}</b> stop working. You cannot undo this.
    </>
  );
  return (
    <>
      <MoreActions>
        {product.trial_policy_id !== null && (
          <ActionItem icon={RotateCcw} label="Allow another trial" onClick={() => setQuestion('trial')} />
        )}
        <ArchiveItems subject={subject} onAsk={setQuestion} />
      </MoreActions>
      {question === 'trial' && <AllowTrialDialog product={product} onClose={close} />}
      {question === 'archive' && (
        <ArchiveQuestion subject={subject} onClose={close}>
          {archiving}
        </ArchiveQuestion>
      )}
      {question === 'delete' && (
        <DeleteQuestion
          subject={subject}
          isUsed={policies && releases && policies.data.length + releases.data.length > 0}
          why={`You cannot delete this product, because it has ${policies?.data.length === 0 ? 'releases' : 'policies'}.`}
          archivedText="It is archived, so you cannot issue new licenses for it."
          deletion={deletion}
          onClose={close}
        >
          {archiving}
        </DeleteQuestion>
      )}
    </>
  );
}
