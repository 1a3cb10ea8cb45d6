import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isTestTenant, meQuery } from '../../api/me.ts';
import { type Policy, policyQuery } from '../../api/tenant-catalog.ts';
import { ArchiveActions } from '../../components/ArchiveActions.tsx';
import { ActionItem } from '../../components/MoreActions.tsx';
import { Copy, FlaskConical } from '../../icons/icons.gen.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { CopyToLiveDialog } from './CopyToLiveDialog.tsx';

/** What can be done to the open policy besides changing it. */
export function PolicyActions({ policy }: { readonly policy: Policy }) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [question, setQuestion] = useState<'archive' | 'delete' | 'copy' | null>(null);
  const { data: me } = useQuery(meQuery(surface.area));
  // Licenses may have been issued since the page was read.
  const { data: current, isFetching } = useQuery({
    ...policyQuery(surface, policy.id),
    enabled: question === 'delete',
    staleTime: 0,
  });
  const isTest = isTestTenant(me, surface.tenantId);
  if (!allows(surface, 'policies', 'update')) return null;
  return (
    <>
      <ArchiveActions
        noun="policy"
        subject={policy}
        question={question}
        onAsk={setQuestion}
        isUsed={isFetching || current === undefined ? undefined : !current.is_deletable}
        why="You cannot delete this policy, because licenses were issued under it, or it is the trial policy of its product."
        deletion="No license uses this policy. You cannot undo this."
      >
        <ActionItem
          icon={Copy}
          label="Duplicate policy"
          onClick={() => void navigate('/policies/new', { search: { from: policy.id } })}
        />
        {isTest && <ActionItem icon={FlaskConical} label="Copy to live tenant" onClick={() => setQuestion('copy')} />}
      </ArchiveActions>
      <CopyToLiveDialog policy={policy} isOpen={question === 'copy'} onClose={() => setQuestion(null)} />
    </>
  );
}
