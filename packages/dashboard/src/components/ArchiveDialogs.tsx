import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { keyOf } from '../api/query-client.ts';
import { Archive, ArchiveRestore, Trash2 } from '../icons/icons.gen.ts';
import { useSurfaceNavigate } from '../shell/SurfaceLink.tsx';
import { useSurface } from '../shell/surface-context.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { ActionItem } from './MoreActions.tsx';
import { useAction } from './use-action.ts';

/** An object under which licenses are issued until it is archived. */
export interface Archivable {
  readonly noun: 'policy' | 'product';
  /** The list that it belongs to, as the API and the URL name it. */
  readonly list: 'policies' | 'products';
  readonly name: string;
  readonly isArchived: boolean;
  /** Archives it, or makes it available again. */
  readonly setArchived: (isArchived: boolean) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
}

/** The entries of a menu that archive an object, or make it available again, and delete it. */
export function ArchiveItems({
  subject: { noun, list, isArchived, setArchived },
  onAsk,
}: {
  readonly subject: Archivable;
  readonly onAsk: (question: 'archive' | 'delete') => void;
}) {
  const unarchive = useAction({
    run: () => setArchived(false),
    invalidates: [keyOf(useSurface(), list)],
    success: `${capitalized(noun)} unarchived`,
  });
  return (
    <>
      {isArchived ? (
        <ActionItem icon={ArchiveRestore} label={`Unarchive ${noun}`} onClick={() => unarchive.mutate()} />
      ) : (
        <ActionItem icon={Archive} label={`Archive ${noun}`} onClick={() => onAsk('archive')} />
      )}
      <ActionItem icon={Trash2} label={`Delete ${noun}`} isDangerous onClick={() => onAsk('delete')} />
    </>
  );
}

interface ArchiveQuestionProps {
  readonly subject: Archivable;
  readonly onClose: () => void;
  /** What archiving means. */
  readonly children: ReactNode;
}

/** Asks whether to archive an object. */
export function ArchiveQuestion({ subject, onClose, children }: ArchiveQuestionProps) {
  const { noun, list, setArchived } = subject;
  const archive = useAction({
    run: () => setArchived(true),
    invalidates: [keyOf(useSurface(), list)],
    success: `${capitalized(noun)} archived`,
  });
  return (
    <ConfirmDialog
      title={`Archive ${noun}`}
      isDangerous={false}
      isOpen
      onClose={onClose}
      onConfirm={() => archive.mutateAsync()}
    >
      {children}
    </ConfirmDialog>
  );
}

interface DeleteQuestionProps extends ArchiveQuestionProps {
  /** Undefined until it is known. */
  readonly isUsed: boolean | undefined;
  /** Why a used object cannot be deleted. */
  readonly why: string;
  /** What being archived means for a used object. */
  readonly archivedText: string;
  /** What the deletion means. */
  readonly deletion: ReactNode;
}

/** Asks for the name only if the object is not used. A used one it offers to archive. */
export function DeleteQuestion(props: DeleteQuestionProps) {
  const { subject, isUsed, why, archivedText, deletion, onClose, children } = props;
  const { noun, list, name, isArchived, remove } = subject;
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const client = useQueryClient();
  if (isUsed === undefined) return null;
  if (isUsed && !isArchived) {
    return (
      <ArchiveQuestion subject={subject} onClose={onClose}>
        {why} {children}
      </ArchiveQuestion>
    );
  }
  if (isUsed) {
    return (
      <ConfirmDialog
        title={`Keep ${noun}`}
        isDangerous={false}
        isOpen
        onClose={onClose}
        onConfirm={() => Promise.resolve()}
      >
        {why} {archivedText}
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title={`Delete ${noun}`}
      typedName={name}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await remove();
        // The page is left first, because it would read the deleted object again.
        await navigate(`/${list}`);
        void client.invalidateQueries({ queryKey: keyOf(surface, list) });
      }}
    >
      {deletion}
    </ConfirmDialog>
  );
}

function capitalized(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}
