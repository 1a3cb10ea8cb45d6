import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { License } from '../../api/licenses.ts';
import { createPortalLink, type PortalLink } from '../../api/portal.ts';
import { toProblem } from '../../api/problem.ts';
import { DialogButtons } from '../../components/ConfirmDialog.tsx';
import { CopyTextButton } from '../../components/CopyTextButton.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useAction } from '../../components/use-action.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allowsReading } from '../../surfaces.ts';

interface PortalLinkProps {
  readonly license: License;
  readonly onClose: () => void;
}

/** Creates a link that logs the holder of a license in to the portal, for support. */
export function NewPortalLink({ license, onClose }: PortalLinkProps) {
  const surface = useSurface();
  const created = useAction({ run: () => createPortalLink(surface, license.id), invalidates: [] });
  const problem = created.error === null ? null : toProblem(created.error);
  if (created.data !== undefined) return <CreatedLink link={created.data} onClose={onClose} />;
  return (
    <Stack gap="md">
      <Text>
        The link opens the portal as {license.holder.email}, without the code by email. It works once, within one hour.
        Anyone who opens it sees every license with this address, so send it to nobody else. The audit log records it.
      </Text>
      {problem !== null && <ErrorState problem={problem} />}
      {problem?.code === 'PORTAL.SWITCHED_OFF' && allowsReading(surface, 'portal') && (
        <Text>
          Open the{' '}
          <SurfaceLink to="/portal-settings" underline="always">
            settings of the portal
          </SurfaceLink>
          .
        </Text>
      )}
      <DialogButtons onCancel={onClose}>
        <Button loading={created.isPending} onClick={() => created.mutate()} data-autofocus>
          Create link
        </Button>
      </DialogButtons>
    </Stack>
  );
}

function CreatedLink({ link, onClose }: { readonly link: PortalLink; readonly onClose: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="yellow">
        <AlertText>
          Copy the link now. It is shown only once and expires <TimeText value={link.expires_at} />.
        </AlertText>
      </Alert>
      <Code block aria-label="Portal link" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {link.url}
      </Code>
      <Group justify="flex-end" gap="xs">
        <CopyTextButton text={link.url} />
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
