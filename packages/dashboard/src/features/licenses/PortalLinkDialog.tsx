import { Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import type { License } from '../../api/licenses.ts';
import { createPortalLink, type PortalLink } from '../../api/portal.ts';
import { type Problem, toProblem } from '../../api/problem.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';

interface PortalLinkDialogProps {
  readonly license: License;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a link that logs the holder of a license in to the portal, for support. */
export function PortalLinkDialog({ license, isOpen, onClose }: PortalLinkDialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      size="lg"
      title={<Text fw={600}>Portal link</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isOpen && <LinkOf license={license} onClose={onClose} />}
    </Modal>
  );
}

function LinkOf({ license, onClose }: Omit<PortalLinkDialogProps, 'isOpen'>) {
  const surface = useSurface();
  const [link, setLink] = useState<PortalLink | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isWorking, setWorking] = useState(false);
  const create = async () => {
    setWorking(true);
    setProblem(null);
    try {
      setLink(await createPortalLink(surface, license.id));
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setWorking(false);
    }
  };
  if (link !== null) return <CreatedLink link={link} onClose={onClose} />;
  return (
    <Stack gap="md">
      <Text size="md">
        A link with which {license.holder.email} opens the portal without a mail: it works once and for an hour. Whoever
        opens it sees every license with this address, so send it to nobody else. The audit log records it.
      </Text>
      {problem !== null && <ErrorState problem={problem} />}
      {problem?.code === 'PORTAL.SWITCHED_OFF' && (
        <Text>
          Open the{' '}
          <SurfaceLink to="/portal-settings" underline="always">
            settings of the portal
          </SurfaceLink>
          .
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isWorking} onClick={() => void create()} data-autofocus>
          Create link
        </Button>
      </Group>
    </Stack>
  );
}

function CreatedLink({ link, onClose }: { readonly link: PortalLink; readonly onClose: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="yellow">
        <Text size="md" c="var(--mantine-color-text)">
          Copy the link now. It is not shown again, and ends <TimeText value={link.expires_at} />.
        </Text>
      </Alert>
      <Code block aria-label="Portal link" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {link.url}
      </Code>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={link.url} timeout={4_000}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
