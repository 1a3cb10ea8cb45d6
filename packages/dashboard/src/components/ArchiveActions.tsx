import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { keyOf } from '../api/query-client.ts';
import {
  archivePolicy,
  archiveProduct,
  deletePolicy,
  deleteProduct,
  unarchivePolicy,
  unarchiveProduct,
} from '../api/tenant-catalog.ts';
import { Archive, ArchiveRestore, Trash2 } from '../icons/icons.gen.ts';
import { useSurfaceNavigate } from '../shell/SurfaceLink.tsx';
import { useSurface } from '../shell/surface-context.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { ActionItem, MoreActions } from './MoreActions.tsx';
import { useAction } from './use-action.ts';

/** What licenses are issued under until it is archived. `list` is the name in the API and in the URL. */
const kinds = {
  product: {
    list: 'products',
    title: 'Product',
    preposition: 'for',
    archive: archiveProduct,
    unarchive: unarchiveProduct,
    remove: deleteProduct,
  },
  policy: {
    list: 'policies',
    title: 'Policy',
    preposition: 'under',
    archive: archivePolicy,
    unarchive: unarchivePolicy,
    remove: deletePolicy,
  },
};

interface ArchiveActionsProps {
  readonly noun: keyof typeof kinds;
  readonly subject: { readonly id: string; readonly name: string; readonly archived_at: string | null };
  /** What the person is asked; other texts are questions of the caller. */
  readonly question: string | null;
  readonly onAsk: (question: 'archive' | 'delete' | null) => void;
  /** Undefined until it is known. */
  readonly isUsed: boolean | undefined;
  /** Why a used object cannot be deleted. */
  readonly why: string;
  /** What the deletion means. */
  readonly deletion: ReactNode;
  /** The entries of the menu before those of this component. */
  readonly children: ReactNode;
}

/**
 * A menu that archives an object, or makes it available again, and deletes it. The deletion asks for the name only if the
 * object is not used. A used one it offers to archive.
 */
export function ArchiveActions(props: ArchiveActionsProps) {
  const { noun, subject, question, onAsk, isUsed, why, deletion, children } = props;
  const { list, title, preposition, archive, unarchive, remove } = kinds[noun];
  const { id, name } = subject;
  const isArchived = subject.archived_at !== null;
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const client = useQueryClient();
  const key = keyOf(surface, list);
  const archiving = useAction({
    run: (): Promise<unknown> => archive(surface, id),
    invalidates: [key],
    success: `${title} archived`,
  });
  const unarchiving = useAction({
    run: (): Promise<unknown> => unarchive(surface, id),
    invalidates: [key],
    success: `${title} unarchived`,
  });
  const isDeleting = question === 'delete';
  const frame = { isOpen: true, onClose: () => onAsk(null) };
  return (
    <>
      <MoreActions>
        {children}
        {isArchived ? (
          <ActionItem icon={ArchiveRestore} label={`Unarchive ${noun}`} onClick={() => unarchiving.mutate()} />
        ) : (
          <ActionItem icon={Archive} label={`Archive ${noun}`} onClick={() => onAsk('archive')} />
        )}
        <ActionItem icon={Trash2} label={`Delete ${noun}`} isDangerous onClick={() => onAsk('delete')} />
      </MoreActions>
      {(question === 'archive' || (isDeleting && isUsed && !isArchived)) && (
        <ConfirmDialog
          title={`Archive ${noun}`}
          isDangerous={false}
          {...frame}
          onConfirm={() => archiving.mutateAsync()}
        >
          {isDeleting && `${why} `}
          You cannot issue new licenses {preposition} <b>{name}</b> while it is archived. Existing licenses keep working
          and can be renewed. You can unarchive the {noun} at any time.
        </ConfirmDialog>
      )}
      {isDeleting && isUsed && isArchived && (
        <ConfirmDialog title={`Keep ${noun}`} isDangerous={false} {...frame} onConfirm={() => Promise.resolve()}>
          {why} It is archived, so you cannot issue new licenses {preposition} it.
        </ConfirmDialog>
      )}
      {isDeleting && isUsed === false && (
        <ConfirmDialog
          title={`Delete ${noun}`}
          typedName={name}
          {...frame}
          onConfirm={async () => {
            await remove(surface, id);
            // The page is left first, because it would read the deleted object again.
            await navigate(`/${list}`);
            void client.invalidateQueries({ queryKey: key });
          }}
        >
          {deletion}
        </ConfirmDialog>
      )}
    </>
  );
}
