import { type Activation, activationsKey, deactivate } from '../../api/activations.ts';
import { licensesKey } from '../../api/licenses.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { useAction } from '../../components/use-action.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { deviceName } from './columns.tsx';

interface DeactivateDialogProps {
  /** The device to deactivate; null: the dialog is closed. */
  readonly activation: Activation | null;
  readonly onClose: () => void;
}

/** Frees the seat of a device after a question. */
export function DeactivateDialog({ activation, onClose }: DeactivateDialogProps) {
  const surface = useSurface();
  const remove = useAction({
    run: (id: string) => deactivate(surface, id),
    invalidates: [activationsKey(surface), licensesKey(surface)],
  });
  return (
    <ConfirmDialog
      title="Deactivate device"
      isOpen={activation !== null}
      onClose={onClose}
      onConfirm={async () => {
        if (activation !== null) await remove.mutateAsync(activation.id);
      }}
    >
      {activation !== null && (
        <>
          “{deviceName(activation)}” loses its activation at its next check, and another device can take the seat. The
          device can be activated again.
        </>
      )}
    </ConfirmDialog>
  );
}
