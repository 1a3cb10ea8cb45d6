import { ActionButton } from '../../components/ActionButton.tsx';
import { ActionItem, MoreActions } from '../../components/MoreActions.tsx';
import { AlertText } from '../../components/Texts.tsx';
import '@mantine/dates/styles.layer.css';
import { Alert, Button, Menu, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import {
  deleteWebhook,
  deliveriesKey,
  recoverWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type WebhookEndpoint,
  webhooksKey,
} from '../../api/webhooks.ts';
import { ConfirmDialog, DialogButtons, FormDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { expiryText } from '../../components/ExpiryInput.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { CircleOff, CirclePlay, History, KeyRound, Pencil, Send, Trash2 } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import { useOfferActions } from '../../shell/palette.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { shortUrl } from './health.ts';

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
  const canAct = allows(surface, 'webhooks', 'act');
  const sendTest = () => test.mutate(undefined, { onError: showProblem });
  useOfferActions([
    canAct && isEnabled && { label: 'Send test event', icon: Send, run: sendTest },
    canAct && isEnabled && { label: 'Recover events', icon: History, run: () => setDialog('recover') },
    canAct && { label: 'Replace the secret', icon: KeyRound, run: () => setDialog('rotate') },
  ]);
  if (!canAct) return null;
  const close = () => setDialog(null);
  const enable = () => setStatus.mutate('enabled', { onError: showProblem });
  return (
    <>
      <ActionButton
        icon={Send}
        label="Send test event"
        loading={test.isPending}
        disabled={!isEnabled}
        onClick={sendTest}
      />
      <MoreActions>
        <ActionItem icon={Pencil} label="Edit" onClick={onEdit} />
        <ActionItem icon={History} label="Recover events" onClick={() => setDialog('recover')} disabled={!isEnabled} />
        <ActionItem icon={KeyRound} label="Replace the secret" onClick={() => setDialog('rotate')} />
        {isEnabled ? (
          <ActionItem icon={CircleOff} label="Disable" onClick={() => setDialog('disable')} />
        ) : (
          <ActionItem icon={CirclePlay} label="Enable" onClick={enable} />
        )}
        <Menu.Divider />
        <ActionItem icon={Trash2} label="Delete" isDangerous onClick={() => setDialog('delete')} />
      </MoreActions>
      <FormDialog title="Recover events" isOpen={dialog === 'recover'} onClose={close}>
        <Recovery endpoint={endpoint} onClose={close} />
      </FormDialog>
      <ConfirmDialog
        title="Replace the secret"
        isOpen={dialog === 'rotate'}
        isDangerous={false}
        onClose={close}
        onConfirm={async () => {
          // The response to a lost first attempt has no secret: each confirmation is a new rotation.
          const rotated = await rotate.mutateAsync(newIdempotencyKey());
          setSecret(rotated.secret);
        }}
      >
        The endpoint gets a new signing secret. For 24 hours, deliveries are signed with both the new and the previous
        secret, so that you can update your server without losing events.
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
          await deleteWebhook(surface, id);
          await navigate('/webhook-endpoints', { replace: true });
        }}
      >
        <Text inherit>
          The service stops sending events to {shortUrl(endpoint.url)}, and pending deliveries fail. The secret is
          deleted. You cannot undo this.
        </Text>
      </ConfirmDialog>
      <SecretDialog title="Secret replaced" label="signing secret" secret={secret} onStored={() => setSecret(null)}>
        Add this secret to your server within 24 hours. Until then, deliveries are also signed with the previous secret.
      </SecretDialog>
    </>
  );
}

const dayMs = 86_400_000;
/** Returns a time as the picker writes it: local, without a zone. */
const pickerText = (date: Date) => `${expiryText(date.toISOString()).replace('T', ' ')}:00`;

/** Sends the events that an endpoint missed since a date. It says how many there are before the person confirms. */
function Recovery({ endpoint, onClose }: { readonly endpoint: WebhookEndpoint; readonly onClose: () => void }) {
  const surface = useSurface();
  const [now] = useState(() => new Date());
  const [since, setSince] = useState<string | null>(() => pickerText(new Date(now.getTime() - dayMs)));
  const start = since === null ? null : new Date(since.replace(' ', 'T')).toISOString();
  const counted = useQuery({
    queryKey: [...webhooksKey(surface), endpoint.id, 'recoverable', start],
    queryFn: () => recoverWebhook(surface, endpoint.id, { since: start ?? '', dry_run: true }),
    enabled: start !== null,
    gcTime: 0,
  });
  const recover = useAction({
    run: () => recoverWebhook(surface, endpoint.id, { since: start ?? '', dry_run: false }),
    invalidates: [webhooksKey(surface), deliveriesKey(surface)],
  });
  const found = counted.data?.count;
  const problem = recover.error ?? counted.error;
  return (
    <Stack gap="md">
      <Text>
        Send the events that this endpoint missed: events whose deliveries failed, and events from before it existed or
        while it was disabled. Events that were delivered are not sent again.
      </Text>
      <DateTimePicker
        label="Since"
        value={since}
        onChange={setSince}
        maxDate={now}
        valueFormat="D MMM YYYY HH:mm"
        size="sm"
        required
        popoverProps={{ withinPortal: true }}
      />
      {problem === null ? (
        <Alert color="gray" role="status" aria-busy={counted.isFetching}>
          <AlertText>{found === undefined ? 'Counting events…' : sentence(found)}</AlertText>
        </Alert>
      ) : (
        <ErrorState problem={toProblem(problem)} onRetry={() => void counted.refetch()} />
      )}
      <DialogButtons onCancel={onClose}>
        <Button
          loading={recover.isPending}
          disabled={found === undefined || found === 0}
          onClick={() => recover.mutate(undefined, { onSuccess: onClose })}
        >
          {found === undefined || found === 0 ? 'Recover events' : `Recover ${count(found, 'event')}`}
        </Button>
      </DialogButtons>
    </Stack>
  );
}

function sentence(found: number): string {
  if (found === 0) return 'The endpoint has not missed any events since then.';
  return `${count(found, 'event')} will be sent. They can arrive in any order.`;
}
