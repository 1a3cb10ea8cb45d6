import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type BulkAction,
  type BulkPreview,
  type BulkRequest,
  bulkKey,
  previewBulkOperation,
  startBulkOperation,
} from '../../api/bulk.ts';
import { newIdempotencyKey } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { DialogButtons, FormDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { count } from '../../lib/text.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { ActionFields } from './ActionFields.tsx';
import { type ActionValues, actionOf, emptyAction, validationsOf } from './action-values.ts';
import { PreviewOf } from './PreviewOf.tsx';
import { actionNames, actionTitle } from './words.tsx';

/** The licenses of an operation. */
export type BulkTarget = Pick<BulkRequest, 'filter' | 'ids'>;

interface BulkDialogProps {
  /** Null: the dialog is closed. */
  readonly type: BulkAction['type'] | null;
  readonly target: BulkTarget;
  /** The licenses in words: "3 licenses". */
  readonly what: string;
  readonly productId?: string | undefined;
  readonly onClose: () => void;
}

/** Asks for the details of an action on many licenses, and shows what it would do before it is started. */
export function BulkDialog({ type, what, onClose, ...rest }: BulkDialogProps) {
  const title = type === null ? '' : actionTitle(type, what);
  return (
    <FormDialog title={title} isOpen={type !== null} onClose={onClose} size="lg">
      {type !== null && <BulkForm key={type} type={type} onClose={onClose} {...rest} />}
    </FormDialog>
  );
}

interface BulkFormProps extends Omit<BulkDialogProps, 'type' | 'what'> {
  readonly type: BulkAction['type'];
}

/** What a dry run answered, and the request that it was about. */
interface Reviewed {
  readonly request: BulkRequest;
  readonly preview: BulkPreview;
}

function BulkForm({ type, target, productId, onClose }: BulkFormProps) {
  const surface = useSurface();
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const resource = useResourceForm<ActionValues, Reviewed>({
    initialValues: emptyAction,
    validate: validationsOf(type),
    async submit(values) {
      const reason = values.reason.trim();
      const request: BulkRequest = {
        ...target,
        action: actionOf(type, values),
        ...(reason !== '' && { reason }),
        notify_holder: values.notify_holder,
      };
      return { request, preview: await previewBulkOperation(surface, request) };
    },
    onSaved: setReviewed,
    fieldNames: {
      'action.policy_id': 'policy_id',
      'action.entitlement': 'entitlement',
      'action.max_activations': 'max_activations',
      'action.expires_at': 'expires_at',
    },
  });
  if (reviewed !== null) {
    return <Review {...reviewed} onBack={() => setReviewed(null)} onClose={onClose} />;
  }
  return (
    <ResourceFormBody resource={resource} submitLabel="Review" savesNothing>
      <ActionFields type={type} form={resource.form} productId={productId} />
    </ResourceFormBody>
  );
}

interface ReviewProps extends Reviewed {
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** What the operation would do, and the button that starts it. */
function Review({ request, preview, onBack, onClose }: ReviewProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const { type } = request.action;
  const start = async () => {
    setRunning(true);
    setError(null);
    try {
      const { id } = await startBulkOperation(surface, request, idempotencyKey);
      await client.invalidateQueries({ queryKey: bulkKey(surface) });
      onClose();
      await navigate(`/bulk-operations/${id}`);
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  return (
    <Stack gap="md">
      <PreviewOf preview={preview} />
      {error !== null && <ErrorState problem={toProblem(error)} />}
      <DialogButtons onCancel={onBack} cancelLabel="Back">
        <Button
          loading={isRunning}
          disabled={preview.changed === 0}
          {...((type === 'revoke' || type === 'suspend') && { color: 'red' })}
          onClick={() => void start()}
          data-autofocus
        >
          {`${type === 'extend' || type === 'suspend' || type === 'reinstate' || type === 'revoke' ? actionNames[type] : 'Change'} ${count(preview.changed, 'license')}`}
        </Button>
      </DialogButtons>
    </Stack>
  );
}
