import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createWebhook, webhooksKey } from '../../api/webhooks.ts';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { WebhookForm } from './WebhookForm.tsx';

interface NewWebhookProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a webhook endpoint, shows its secret once, and opens its page. */
export function NewWebhook({ isOpen, onClose }: NewWebhookProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const open = (id: string) => navigate(`/webhook-endpoints/${id}`);
  return (
    <>
      <FormDrawer title="New webhook endpoint" isOpen={isOpen && created === null} onClose={onClose}>
        {(onUnsaved) => (
          <WebhookForm
            submitLabel="Create webhook endpoint"
            onUnsaved={onUnsaved}
            onCancel={onClose}
            submit={(values, key) => createWebhook(surface, values, key)}
            onSaved={async ({ id, secret }) => {
              // A repeated request is answered without the secret; the page offers to replace it.
              if (secret === null) await open(id);
              else setCreated({ id, secret });
              await client.invalidateQueries({ queryKey: webhooksKey(surface) });
            }}
          />
        )}
      </FormDrawer>
      <SecretDialog
        title="Webhook endpoint created"
        label="signing secret"
        secret={created?.secret ?? null}
        onStored={() => {
          if (created !== null) void open(created.id);
          setCreated(null);
        }}
      >
        Your server verifies with it that a request comes from this service. The next page shows how.
      </SecretDialog>
    </>
  );
}
