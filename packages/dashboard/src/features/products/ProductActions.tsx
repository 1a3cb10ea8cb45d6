import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { releasesQuery } from '../../api/releases.ts';
import { type Product, policiesQuery } from '../../api/tenant-catalog.ts';
import { ArchiveActions } from '../../components/ArchiveActions.tsx';
import { ActionItem } from '../../components/MoreActions.tsx';
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
  return (
    <>
      <ArchiveActions
        noun="product"
        subject={product}
        question={question}
        onAsk={setQuestion}
        isUsed={policies && releases && policies.data.length + releases.data.length > 0}
        why={`You cannot delete this product, because it has ${policies?.data.length === 0 ? 'releases' : 'policies'}.`}
        deletion={
          <>
            Applications that use the code <b>{product.code}</b> stop working. You cannot undo this.
          </>
        }
      >
        {product.trial_policy_id !== null && (
          <ActionItem icon={RotateCcw} label="Allow another trial" onClick={() => setQuestion('trial')} />
        )}
      </ArchiveActions>
      {question === 'trial' && <AllowTrialDialog product={product} onClose={() => setQuestion(null)} />}
    </>
  );
}
