import { useQueryClient } from '@tanstack/react-query';
import { updateWebhook, type WebhookEndpoint, webhooksKey } from '../../api/webhooks.ts';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { WebhookForm } from './WebhookForm.tsx';

interface EditWebhookProps {
  readonly endpoint: WebhookEndpoint;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Changes the URL, the description and the events of an endpoint. */
export function EditWebhook({ endpoint, isOpen, onClose }: EditWebhookProps) {
  const surface = useSurface();
  const client = useQueryClient();
  return (
    <FormDrawer title="Edit webhook endpoint" isOpen={isOpen} onClose={onClose}>
      {(onUnsaved) => (
        <WebhookForm
          endpoint={endpoint}
          submitLabel="Save changes"
          onUnsaved={onUnsaved}
          onCancel={onClose}
          submit={(values) => updateWebhook(surface, endpoint.id, values)}
          onSaved={async () => {
            await client.invalidateQueries({ queryKey: webhooksKey(surface) });
            onClose();
          }}
        />
      )}
    </FormDrawer>
  );
}
