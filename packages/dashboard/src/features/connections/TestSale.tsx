import { Anchor, CloseButton, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Connection } from '../../api/connections.ts';
import { mailsQuery } from '../../api/holder-mails.ts';
import { deleteLicense, licenseQuery, licensesKey } from '../../api/licenses.ts';
import { portalQuery } from '../../api/portal.ts';
import { eventQuery } from '../../api/sales.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Hint } from '../../components/Texts.tsx';
import type { IconComponent } from '../../icons/icon.ts';
import { CircleCheck, CircleX, KeyRound, Mail, MailX, MessageSquare, Store } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import classes from './TestSale.module.css';

interface TestSaleProps {
  readonly connection: Connection;
  readonly eventId: string;
  readonly checkoutId: string | undefined;
  readonly onClose: () => void;
}

/** What a test sale becomes, step by step: message, license, mail, the buyer's page. Each step is a link once it is done. */
export function TestSale({ connection, eventId, checkoutId, onClose }: TestSaleProps) {
  const surface = useSurface();
  const { data: event, error } = useQuery(eventQuery(surface, connection.id, eventId));
  const licenseId = event?.effects[0]?.license_id;
  return (
    <Paper p="md" component="section" aria-label="Test sale">
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Stack gap={2}>
            <Title order={2}>Test sale</Title>
            <Hint>
              A signed message went to the address of this connection, as your shop would send it. Nobody paid anything.
            </Hint>
          </Stack>
          <CloseButton aria-label="Close the test sale" onClick={onClose} />
        </Group>
        <ol className={classes['steps']} aria-live="polite">
          <MessageStep connection={connection} event={event} eventId={eventId} hasFailed={error !== null} />
          <LicenseStep licenseId={licenseId} hasEnded={event !== undefined && event.state !== 'pending'} />
          <MailStep licenseId={licenseId} />
          <PortalStep connection={connection} checkoutId={checkoutId} isReady={licenseId !== undefined} />
        </ol>
      </Stack>
    </Paper>
  );
}

type StepState = 'waiting' | 'running' | 'done' | 'failed';

interface StepProps {
  readonly icon: IconComponent;
  readonly name: string;
  readonly state: StepState;
  readonly children: ReactNode;
}

const stateWords: Readonly<Record<StepState, string>> = {
  waiting: 'Not yet',
  running: 'In progress',
  done: 'Done',
  failed: 'Failed',
};

function Step({ icon: Icon, name, state, children }: StepProps) {
  return (
    <li className={classes['step']} data-state={state}>
      <Group gap={8} justify="space-between" wrap="nowrap">
        <Group gap={8} wrap="nowrap">
          <Icon size={16} aria-hidden="true" />
          <Text fw={600}>{name}</Text>
        </Group>
        <StepMark state={state} />
        <span className="visually-hidden">{stateWords[state]}</span>
      </Group>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </li>
  );
}

function StepMark({ state }: { readonly state: StepState }) {
  if (state === 'running') return <Loader size={14} aria-hidden="true" />;
  if (state === 'done') return <CircleCheck size={16} aria-hidden="true" color="var(--mantine-color-teal-text)" />;
  if (state === 'failed') return <CircleX size={16} aria-hidden="true" color="var(--mantine-color-red-text)" />;
  return null;
}

interface MessageStepProps {
  readonly connection: Connection;
  readonly event: { readonly type: string; readonly state: string; readonly reason: string | null } | undefined;
  readonly eventId: string;
  readonly hasFailed: boolean;
}

function MessageStep({ connection, event, eventId, hasFailed }: MessageStepProps) {
  const state = hasFailed || event?.state === 'failed' ? 'failed' : event === undefined ? 'running' : 'done';
  return (
    <Step icon={MessageSquare} name="Message" state={state}>
      {event === undefined ? (
        'On its way …'
      ) : (
        <SurfaceLink
          to={`/connections/${connection.id}`}
          search={{ tab: 'messages', event: eventId, test: eventId }}
          inherit
        >
          {event.type}
        </SurfaceLink>
      )}
      {event?.reason != null && <div>{event.reason}</div>}
    </Step>
  );
}

function LicenseStep({ licenseId, hasEnded }: { readonly licenseId: string | undefined; readonly hasEnded: boolean }) {
  const { data } = useQuery({ ...licenseQuery(useSurface(), licenseId ?? ''), enabled: licenseId !== undefined });
  if (licenseId === undefined) {
    return (
      <Step icon={KeyRound} name="License" state={hasEnded ? 'failed' : 'running'}>
        {hasEnded ? 'No license was issued. The message says why.' : 'Being issued …'}
      </Step>
    );
  }
  return (
    <Step icon={KeyRound} name="License" state="done">
      <SurfaceLink to={`/licenses/${licenseId}`} inherit>
        {data === undefined ? 'The license' : `${data.product_name}, ${data.policy_name}`}
      </SurfaceLink>
      {data !== undefined && (
        <div>
          <CopyableText value={data.key} label="license key" maxLength={18} size="xs" />
        </div>
      )}
      {data !== undefined && <RemoveLicense id={licenseId} />}
    </Step>
  );
}

/** Deletes the license of the test, so that it counts and is listed no longer. */
function RemoveLicense({ id }: { readonly id: string }) {
  const surface = useSurface();
  const [isAsking, setAsking] = useState(false);
  const [isRemoved, setRemoved] = useState(false);

  if (isRemoved) return <div role="status">The license was removed.</div>;
  if (!allows(surface, 'licenses', 'delete')) return null;
  return (
    <>
      <Anchor component="button" type="button" inherit onClick={() => setAsking(true)}>
        Remove the license
      </Anchor>
      <ConfirmDialog
        title="Remove the license"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await deleteLicense(surface, id);
          setRemoved(true);
        }}
        invalidates={[[...licensesKey(surface), 'list']]}
      >
        The license of the test sale is deleted. Its key stops working. The sale stays in the list of sales.
      </ConfirmDialog>
    </>
  );
}

const mailStates: Readonly<Record<string, StepState>> = { sent: 'done', refused: 'failed', queued: 'running' };

function MailStep({ licenseId }: { readonly licenseId: string | undefined }) {
  const { data } = useQuery({
    ...mailsQuery(useSurface(), { license_id: licenseId ?? '', limit: 1 }),
    enabled: licenseId !== undefined,
    refetchInterval: 1_000,
  });
  const [mail] = data?.data ?? [];
  if (licenseId === undefined || data === undefined) {
    return (
      <Step icon={Mail} name="Mail" state="waiting">
        Follows the license.
      </Step>
    );
  }
  if (mail === undefined) {
    return (
      <Step icon={MailX} name="Mail" state="waiting">
        <SurfaceLink to="/settings/mails" inherit>
          Mails for new licenses are off
        </SurfaceLink>
      </Step>
    );
  }
  return (
    <Step icon={Mail} name="Mail" state={mailStates[mail.state] ?? 'running'}>
      <SurfaceLink to={`/licenses/${licenseId}`} search={{ tab: 'mails' }} inherit>
        {words(mail.state)} to {mail.recipient}
      </SurfaceLink>
    </Step>
  );
}

interface PortalStepProps {
  readonly connection: Connection;
  readonly checkoutId: string | undefined;
  readonly isReady: boolean;
}

function PortalStep({ connection, checkoutId, isReady }: PortalStepProps) {
  const { data: portal } = useQuery(portalQuery(useSurface()));
  if (portal?.is_enabled === false) {
    return (
      <Step icon={Store} name="Customer’s page" state="waiting">
        <SurfaceLink to="/portal-settings" inherit>
          Switch the portal on
        </SurfaceLink>
      </Step>
    );
  }
  if (!isReady || portal?.handle == null || checkoutId === undefined) {
    return (
      <Step icon={Store} name="Customer’s page" state="waiting">
        Shows the key as soon as the license is there.
      </Step>
    );
  }
  const address = `/portal/${portal.handle}/purchase?connection=${connection.id}&id=${encodeURIComponent(checkoutId)}`;
  return (
    <Step icon={Store} name="Customer’s page" state="done">
      <Anchor href={address} target="_blank" inherit>
        See what the customer sees
      </Anchor>
    </Step>
  );
}
