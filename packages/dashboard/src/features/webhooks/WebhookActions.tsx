import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { CircleOff, CirclePlay, Ellipsis, History, KeyRound, Pencil, Send, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import {
  deleteWebhook,
  deliveriesKey,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type WebhookEndpoint,
  webhooksKey,
} from '../../api/webhooks.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { useOfferActions } from '../../shell/palette-actions.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { shortUrl } from './health.ts';
import { RecoverDialog } from './RecoverDialog.tsx';

type Dialog = 'rotate' | 'recover' | 'disable' | 'delete';

interface WebhookActionsProps {
  readonly endpoint: WebhookEndpoint;
  readonly onEdit: () => void;
}

/** What a person can do with an endpoint. */
export function WebhookActions({ endpoint, onEdit }: WebhookActionsProps) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const invalidates = [webhooksKey(surface), deliveriesKey(surface)];
  const { id, status } = endpoint;
  const isEnabled = status === 'enabled';
  const test = useAction({ run: () => testWebhook(surface, id), invalidates });
  const setStatus = useAction({
    run: (next: typeof status) => updateWebhook(surface, id, { status: next }),
    invalidates,
  });
  const rotate = useAction({ run: (key: string) => rotateWebhookSecret(surface, id, key), invalidates });
  const remove = useAction({ run: () => deleteWebhook(surface, id), invalidates: [] });
  const canAct = allows(surface, 'webhooks', 'act');
  const { mutate: mutateTest } = test;
  const actions = useMemo(
    () =>
      [
        {
          label: 'Send test event',
          icon: Send,
          run: () => mutateTest(undefined, { onError: showProblem }),
          isShown: canAct && isEnabled,
        },
        { label: 'Recover events', icon: History, run: () => setDialog('recover'), isShown: canAct && isEnabled },
        { label: 'Rotate secret', icon: KeyRound, run: () => setDialog('rotate'), isShown: canAct },
      ].filter(({ isShown }) => isShown),
    [canAct, isEnabled, mutateTest],
  );
  useOfferActions(actions);
  if (!canAct) return null;
  const close = () => setDialog(null);
  const enable = () => setStatus.mutate('enabled', { onError: showProblem });
  return (
    <>
      <Button
        leftSection={<Send size={15} aria-hidden="true" />}
        loading={test.isPending}
        disabled={!isEnabled}
        onClick={() => mutateTest(undefined, { onError: showProblem })}
      >
        Send test event
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <Ellipsis size={18} aria-hidden="true" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={15} />} onClick={onEdit}>
            Edit
          </Menu.Item>
          <Menu.Item leftSection={<History size={15} />} onClick={() => setDialog('recover')} disabled={!isEnabled}>
            Recover events
          </Menu.Item>
          <Menu.Item leftSection={<KeyRound size={15} />} onClick={() => setDialog('rotate')}>
            Rotate secret
          </Menu.Item>
          {isEnabled ? (
            <Menu.Item leftSection={<CircleOff size={15} />} onClick={() => setDialog('disable')}>
              Disable
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<CirclePlay size={15} />} onClick={enable}>
              Enable
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<Trash2 size={15} />} onClick={() => setDialog('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RecoverDialog endpoint={endpoint} isOpen={dialog === 'recover'} onClose={close} />
      <ConfirmDialog
        title="Rotate secret"
        isOpen={dialog === 'rotate'}
        isDangerous={false}
        onClose={close}
        onConfirm={async () => {
          // The response to a lost first attempt has no secret: each confirmation is a new rotation.
          const rotated = await rotate.mutateAsync(newIdempotencyKey());
          setSecret(rotated.secret);
        }}
      >
        The endpoint gets a new signing secret. For 24 hours deliveries are signed with the new and the previous secret,
        so that you can change your server without losing an event.
      </ConfirmDialog>
      <ConfirmDialog
        title="Disable endpoint"
        isOpen={dialog === 'disable'}
        onClose={close}
        onConfirm={() => setStatus.mutateAsync('disabled')}
      >
        {shortUrl(endpoint.url)} receives nothing while it is disabled, and its pending deliveries fail. You can enable
        it again and recover the events that it missed.
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete webhook endpoint"
        typedName={new URL(endpoint.url).host}
        isOpen={dialog === 'delete'}
        onClose={close}
        onConfirm={async () => {
          await remove.mutateAsync();
          await navigate('/webhook-endpoints', { replace: true });
        }}
      >
        <Text inherit>
          The service sends no more events to {shortUrl(endpoint.url)}, and pending deliveries fail. Its secret is
          deleted. This cannot be undone.
        </Text>
      </ConfirmDialog>
      <SecretDialog title="Secret rotated" label="signing secret" secret={secret} onStored={() => setSecret(null)}>
        Give it to your server within 24 hours. Until then the previous secret signs as well.
      </SecretDialog>
    </>
  );
}
