import { Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Copy, FlaskConical, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { licensesQuery } from '../../api/licenses.ts';
import { meQuery } from '../../api/me.ts';
import { keyOf } from '../../api/query-client.ts';
import { archivePolicy, copyPolicyToLive, deletePolicy, type Policy } from '../../api/tenant-catalog.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { MoreActions } from '../../components/MoreActions.tsx';
import { useAction } from '../../components/use-action.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';

type Question = 'archive' | 'delete' | 'copy';

/** What can be done to the open policy besides changing it. */
export function PolicyActions({ policy }: { readonly policy: Policy }) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [question, setQuestion] = useState<Question | null>(null);
  const { data: me } = useQuery(meQuery(surface.area));
  const isTest = me?.tenants.some(({ id, live_tenant_id }) => id === surface.tenantId && live_tenant_id !== null);
  const refresh = [keyOf(surface, 'policies')];
  const unarchive = useAction({
    run: () => archivePolicy(surface, policy.id, false),
    invalidates: refresh,
    success: 'Policy unarchived',
  });
  const close = () => setQuestion(null);
  if (!allows(surface, 'policies', 'update')) return null;
  return (
    <>
      <MoreActions>
        <Menu.Item
          leftSection={<Copy size={14} aria-hidden="true" />}
          onClick={() => void navigate('/policies/new', { search: { from: policy.id } })}
        >
          Duplicate policy
        </Menu.Item>
        {isTest === true && (
          <Menu.Item leftSection={<FlaskConical size={14} aria-hidden="true" />} onClick={() => setQuestion('copy')}>
            Copy to live tenant
          </Menu.Item>
        )}
        {policy.archived_at === null ? (
          <Menu.Item leftSection={<Archive size={14} aria-hidden="true" />} onClick={() => setQuestion('archive')}>
            Archive policy
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<ArchiveRestore size={14} aria-hidden="true" />} onClick={() => unarchive.mutate()}>
            Unarchive policy
          </Menu.Item>
        )}
        <Menu.Item
          color="red"
          leftSection={<Trash2 size={14} aria-hidden="true" />}
          onClick={() => setQuestion('delete')}
        >
          Delete policy
        </Menu.Item>
      </MoreActions>
      <ArchiveQuestion policy={policy} isOpen={question === 'archive'} onClose={close} />
      {question === 'delete' && <DeleteQuestion policy={policy} onClose={close} />}
      <CopyQuestion policy={policy} isOpen={question === 'copy'} onClose={close} />
    </>
  );
}

interface QuestionProps {
  readonly policy: Policy;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ArchiveQuestion({ policy, why, isOpen, onClose }: QuestionProps & { readonly why?: string }) {
  const surface = useSurface();
  const archive = useAction({
    run: () => archivePolicy(surface, policy.id, true),
    invalidates: [keyOf(surface, 'policies')],
    success: 'Policy archived',
  });
  return (
    <ConfirmDialog
      title="Archive policy"
      isDangerous={false}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => archive.mutateAsync()}
    >
      {why} No new licenses are issued under <b>{policy.name}</b>. Its licenses keep working and can be renewed. You can
      unarchive it at any time.
    </ConfirmDialog>
  );
}

/** Asks for the name only if the policy has no licenses. With licenses, it offers to archive the policy. */
function DeleteQuestion({ policy, onClose }: Omit<QuestionProps, 'isOpen'>) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const { data: licenses } = useQuery(licensesQuery(surface, { policy_id: policy.id }));
  const client = useQueryClient();
  if (licenses === undefined) return null;
  if (licenses.data.length > 0) {
    const why = 'Licenses use this policy, so it cannot be deleted.';
    if (policy.archived_at === null) return <ArchiveQuestion policy={policy} why={why} isOpen onClose={onClose} />;
    return (
      <ConfirmDialog
        title="Keep policy"
        isDangerous={false}
        isOpen
        onClose={onClose}
        onConfirm={() => Promise.resolve()}
      >
        {why} It is archived: no new licenses are issued under it.
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title="Delete policy"
      typedName={policy.name}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await deletePolicy(surface, policy.id);
        // The page is left first, because it would read the deleted object again.
        await navigate('/policies');
        void client.invalidateQueries({ queryKey: keyOf(surface, 'policies') });
      }}
    >
      No license uses this policy. Deleting it cannot be undone.
    </ConfirmDialog>
  );
}

function CopyQuestion({ policy, isOpen, onClose }: QuestionProps) {
  const surface = useSurface();
  const copy = useAction({
    run: () => copyPolicyToLive(surface, policy.id),
    invalidates: [],
    success: 'Policy copied to the live tenant',
  });
  return (
    <ConfirmDialog
      title="Copy to live tenant"
      isDangerous={false}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => copy.mutateAsync()}
    >
      The live tenant gets <b>{policy.name}</b> with these terms, and its product and entitlements if they are new
      there. A policy with the same product and code is changed, which applies to its licenses at once.
    </ConfirmDialog>
  );
}
