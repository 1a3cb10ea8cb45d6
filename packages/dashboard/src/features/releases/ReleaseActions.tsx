import { Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { deleteRelease, publishRelease, type Release, releasesKey, yankRelease } from '../../api/releases.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog, FormDialog } from '../../components/ConfirmDialog.tsx';
import { ActionItem, MoreActions } from '../../components/MoreActions.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Ban, Pencil, Send, Trash2 } from '../../icons/icons.gen.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';

interface ReleaseActionsProps {
  readonly release: Release;
  readonly onEdit: () => void;
}

/** What can be done to a release: a draft is changed, published or deleted, and a published release is yanked. */
export function ReleaseActions({ release, onEdit }: ReleaseActionsProps) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [question, setQuestion] = useState<'publish' | 'yank' | 'delete' | null>(null);
  const close = () => setQuestion(null);
  const { id, product_id, version, status, artifacts } = release;
  const invalidates = [releasesKey(surface)];
  if (!allows(surface, 'products', 'update') || status === 'yanked') return null;
  if (status === 'published') {
    return (
      <>
        <ActionButton icon={Ban} label="Yank release" variant="default" onClick={() => setQuestion('yank')} />
        <FormDialog title="Yank release" isOpen={question === 'yank'} onClose={close}>
          <YankForm release={release} />
        </FormDialog>
      </>
    );
  }
  const isReady = artifacts.length > 0;
  return (
    <>
      <ActionButton icon={Pencil} label="Edit release" {...(isReady && { variant: 'default' })} onClick={onEdit} />
      {isReady && <ActionButton icon={Send} label="Publish release" onClick={() => setQuestion('publish')} />}
      <MoreActions>
        <ActionItem icon={Trash2} label="Delete release" isDangerous onClick={() => setQuestion('delete')} />
      </MoreActions>
      <ConfirmDialog
        title="Publish release"
        isDangerous={false}
        isOpen={question === 'publish'}
        onClose={close}
        onConfirm={() => publishRelease(surface, product_id, id)}
        invalidates={invalidates}
      >
        Customers whose license permits version <b>{version}</b> can download it from now on. You cannot change a
        published release; you can only yank it.
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete release"
        isOpen={question === 'delete'}
        onClose={close}
        onConfirm={async () => {
          await deleteRelease(surface, product_id, id);
          await navigate(`/products/${product_id}/releases`);
        }}
        invalidates={[[...releasesKey(surface), 'list']]}
      >
        The draft of version <b>{version}</b> is deleted. Your files stay where they are.
      </ConfirmDialog>
    </>
  );
}

function YankForm({ release }: Pick<ReleaseActionsProps, 'release'>) {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues: { reason: '' },
    validate: { reason: (reason) => (reason.trim() === '' ? 'Enter a reason.' : null) },
    submit: ({ reason }) => yankRelease(surface, release.product_id, release.id, { reason: reason.trim() }),
    invalidates: [releasesKey(surface)],
  });
  return (
    <ResourceFormBody resource={resource} submitLabel="Yank release" isDangerous>
      <Text>
        Nobody can download version <b>{release.version}</b> any more, and updaters offer the version before it. You
        cannot publish it again.
      </Text>
      <Textarea
        label="Reason"
        description="Your team sees it here and in the audit log."
        required
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        {...resource.form.getInputProps('reason')}
      />
    </ResourceFormBody>
  );
}
