import { Menu, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { activationsKey } from '../../api/activations.ts';
import { newIdempotencyKey } from '../../api/client.ts';
import {
  changeLicenseStatus,
  deleteLicense,
  type License,
  type LicenseTransition,
  licensesKey,
  rotateLicenseKey,
} from '../../api/licenses.ts';
import { keyOf } from '../../api/query-client.ts';
import { productQuery } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog, FormDialog } from '../../components/ConfirmDialog.tsx';
import { ActionItem, MoreActions } from '../../components/MoreActions.tsx';
import { useAction } from '../../components/use-action.ts';
import {
  BadgeCheck,
  Ban,
  CirclePause,
  CirclePlay,
  FileKey,
  KeyRound,
  Link,
  MonitorCheck,
  Pencil,
  RefreshCw,
  Trash2,
} from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import { useOfferActions } from '../../shell/palette.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { OfflineNoticeOf } from '../bulk-operations/OfflineNotice.tsx';
import { ActivateDeviceForm } from './ActivateDeviceForm.tsx';
import { Certificate } from './Certificate.tsx';
import { ConvertForm } from './ConvertForm.tsx';
import { holderName } from './columns.tsx';
import { NewPortalLink } from './NewPortalLink.tsx';
import { Renewal } from './Renewal.tsx';
import { ReplaceKeyDialog } from './ReplaceKeyDialog.tsx';

type Dialog =
  | LicenseTransition
  | 'rotate-key'
  | 'renew'
  | 'delete'
  | 'activate'
  | 'certificate'
  | 'portal-link'
  | 'convert';

interface LicenseActionsProps {
  readonly license: License;
  readonly onEdit: () => void;
}

/** Returns how many devices an action stops: "3 active devices". */
function devices({ activations_count: active }: License): string {
  return active === 0 ? 'No device is active now.' : `${count(active, 'active device')} will be affected.`;
}

/** Returns whether the license or its maintenance ends, so that it can be renewed. */
function hasEnd({ expires_at, maintenance_expires_at }: License): boolean {
  return expires_at !== null || maintenance_expires_at !== null;
}

/** What a person can do with a license. */
export function LicenseActions({ license, onEdit }: LicenseActionsProps) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const attempt = useRef('');
  const open = (next: Dialog) => {
    attempt.current = newIdempotencyKey();
    setReason('');
    setDialog(next);
  };
  const close = () => setDialog(null);
  const invalidates = [licensesKey(surface), activationsKey(surface), keyOf(surface, 'audit-logs')];
  const [reason, setReason] = useState('');
  const change = useAction({
    run: (transition: LicenseTransition) => changeLicenseStatus(surface, license.id, transition, reason),
    invalidates,
  });
  const rotate = useAction({
    run: () => rotateLicenseKey(surface, license.id, undefined, attempt.current),
    invalidates,
  });

  const mayAct = allows(surface, 'licenses', 'act');
  const isRevoked = license.status === 'revoked';
  const { data: product } = useQuery({ ...productQuery(surface, license.product_id), enabled: mayAct });
  const isTrial = product?.trial_policy_id === license.policy_id;
  const isSuspended = license.status === 'suspended';
  const menu = [
    isTrial && { label: 'Convert trial', icon: BadgeCheck, run: () => open('convert') },
    isSuspended
      ? { label: 'Reinstate license', icon: CirclePlay, run: () => open('reinstate') }
      : { label: 'Suspend license', icon: CirclePause, run: () => open('suspend') },
    hasEnd(license) && { label: 'Renew license', icon: RefreshCw, run: () => open('renew') },
    license.holder.email !== null && { label: 'Portal link', icon: Link, run: () => open('portal-link') },
    { label: 'Activate device', icon: MonitorCheck, run: () => open('activate') },
    { label: 'Offline certificate', icon: FileKey, run: () => open('certificate') },
    { label: 'Replace the key', icon: KeyRound, run: () => open('rotate-key') },
  ];
  const offered = isRevoked ? [] : menu.filter((action) => action !== false);
  const inPalette = [
    { label: 'Edit license', icon: Pencil, run: onEdit },
    ...offered,
    !isRevoked && { label: 'Revoke license', icon: Ban, run: () => open('revoke') },
    { label: 'Delete license', icon: Trash2, run: () => open('delete') },
  ];
  useOfferActions(mayAct ? inPalette : []);
  if (!mayAct) return null;
  const opened = (one: Dialog) => ({ isOpen: dialog === one, onClose: close });
  const confirm = (transition: LicenseTransition) => ({
    ...opened(transition),
    onConfirm: () => change.mutateAsync(transition),
  });
  const reasonField = <ReasonField value={reason} onChange={setReason} />;
  const name = holderName(license.holder) ?? license.key;
  return (
    <>
      <ActionButton icon={Pencil} label="Edit license" onClick={onEdit} />
      <MoreActions>
        {offered.map(({ label, icon: Icon, run }) => (
          <ActionItem icon={Icon} label={label} key={label} onClick={run} />
        ))}
        {!isRevoked && (
          <>
            <Menu.Divider />
            <ActionItem icon={Ban} label="Revoke license" isDangerous onClick={() => open('revoke')} />
          </>
        )}
        <ActionItem icon={Trash2} label="Delete license" isDangerous onClick={() => open('delete')} />
      </MoreActions>
      <FormDialog title="Offline certificate" {...opened('certificate')} size="lg">
        <Certificate license={license} onClose={close} />
      </FormDialog>
      <FormDialog title="Activate device" {...opened('activate')}>
        <ActivateDeviceForm license={license} />
      </FormDialog>
      <FormDialog title="Renew license" {...opened('renew')}>
        <Renewal license={license} />
      </FormDialog>
      <FormDialog title="Convert trial" {...opened('convert')}>
        <ConvertForm license={license} />
      </FormDialog>
      <FormDialog title="Portal link" {...opened('portal-link')} size="lg">
        <NewPortalLink license={license} onClose={close} />
      </FormDialog>
      <ConfirmDialog title="Suspend license" {...confirm('suspend')}>
        Every validation is refused until you reinstate the license. {devices(license)}{' '}
        {dialog === 'suspend' && <OfflineNoticeOf licenseId={license.id} type="suspend" />}
        {reasonField}
      </ConfirmDialog>
      <ConfirmDialog title="Reinstate license" isDangerous={false} {...confirm('reinstate')}>
        The license is usable again, within its dates and limits.
        {reasonField}
      </ConfirmDialog>
      <ReplaceKeyDialog
        devices={devices(license)}
        {...opened('rotate-key')}
        replace={async () => (await rotate.mutateAsync()).key}
      />
      <ConfirmDialog title="Revoke license" typedName={name} {...confirm('revoke')}>
        {license.activations_count === 0
          ? 'No device is active now. '
          : `Revoking stops ${count(license.activations_count, 'active device')} at their next check. `}
        A revoked license can never be used again.{' '}
        {dialog === 'revoke' && <OfflineNoticeOf licenseId={license.id} type="revoke" />}
        {reasonField}
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete license"
        typedName={name}
        {...opened('delete')}
        onConfirm={async () => {
          await deleteLicense(surface, license.id);
          await navigate('/licenses');
        }}
      >
        The license disappears, {count(license.activations_count, 'active device')}{' '}
        {license.activations_count === 1 ? 'is' : 'are'} released, and the key is unknown from now on. The audit log
        keeps the history.
      </ConfirmDialog>
    </>
  );
}

interface ReasonFieldProps {
  readonly value: string;
  readonly onChange: (reason: string) => void;
}

/** Asks why the status changes, for the audit log and the page of the license. */
function ReasonField({ value, onChange }: ReasonFieldProps) {
  return (
    <Textarea
      mt="md"
      label="Reason"
      description="Optional. Your team sees it on the license and in the audit log."
      maxLength={500}
      autosize
      minRows={2}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
