import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isTestTenant, meQuery } from '../../api/me.ts';
import { archivePolicy, deletePolicy, type Policy, policyQuery } from '../../api/tenant-catalog.ts';
import { type Archivable, ArchiveItems, ArchiveQuestion, DeleteQuestion } from '../../components/ArchiveDialogs.tsx';
import { ActionItem, MoreActions } from '../../components/MoreActions.tsx';
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
  const subject: Archivable = {
    noun: 'policy',
    list: 'policies',
    name: policy.name,
    isArchived: policy.archived_at !== null,
    setArchived: (isArchived) => archivePolicy(surface, policy.id, isArchived),
    remove: () => deletePolicy(surface, policy.id),
  };
  const close = () => setQuestion(null);
  const archiving = (
    <>
      You cannot issue new licenses under <b>{policy.name}</b> while it is archived. Existing licenses keep working and
      can be renewed. You can unarchive the policy at any time.
    </>
  );
  return (
    <>
      <MoreActions>
        <ActionItem
          icon={Copy}
          label="Duplicate policy"
          onClick={() => void navigate('/policies/new', { search: { from: policy.id } })}
        />
        {isTest && <ActionItem icon={FlaskConical} label="Copy to live tenant" onClick={() => setQuestion('copy')} />}
        <ArchiveItems subject={subject} onAsk={setQuestion} />
      </MoreActions>
      {question === 'archive' && (
        <ArchiveQuestion subject={subject} onClose={close}>
          {archiving}
        </ArchiveQuestion>
      )}
      {question === 'delete' && (
        <DeleteQuestion
          subject={subject}
          isUsed={isFetching || current === undefined ? undefined : !current.is_deletable}
          why="You cannot delete this policy, because licenses were issued under it, or it is the trial policy of its product."
          archivedText="It is archived, so you cannot issue new licenses under it."
          deletion="No license uses this policy. You cannot undo this."
          onClose={close}
        >
          {archiving}
        </DeleteQuestion>
      )}
      <CopyToLiveDialog policy={policy} isOpen={question === 'copy'} onClose={close} />
    </>
  );
}
