import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { issueCertificate, type License } from '../../api/licenses.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useSurface } from '../../shell/surface-context.ts';

interface CertificateDialogProps {
  readonly license: License;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Issues an offline certificate and offers it as a file. */
export function CertificateDialog({ license, isOpen, onClose }: CertificateDialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      size="lg"
      title={<Text fw={600}>Offline certificate</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isOpen && <Certificate license={license} onClose={onClose} />}
    </Modal>
  );
}

interface Issued {
  readonly certificate: string;
  readonly expires_at: string;
}

function Certificate({ license, onClose }: Omit<CertificateDialogProps, 'isOpen'>) {
  const surface = useSurface();
  const [issued, setIssued] = useState<Issued | null>(null);
  const resource = useResourceForm({
    initialValues: { fingerprint: '' },
    submit: ({ fingerprint }) =>
      issueCertificate(surface, license.id, fingerprint.trim() === '' ? {} : { fingerprint: fingerprint.trim() }),
    onSaved: setIssued,
  });
  if (issued !== null) {
    const file = new Blob([issued.certificate], { type: 'application/jwt' });
    return (
      <Stack gap="md">
        <Text size="md">
          Valid until <TimeText value={issued.expires_at} />. Your application verifies it with the tenant's public
          keys, without a network.
        </Text>
        <CodeBlock code={issued.certificate} label="certificate" />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            leftSection={<Download size={15} aria-hidden="true" />}
            onClick={() => saveFile(file, `license-${license.id}.jwt`)}
          >
            Download certificate
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <ResourceFormBody resource={resource} submitLabel="Issue certificate" onCancel={onClose}>
      <Text size="md">
        A signed file with which a device checks the license offline. Issuing one counts as a validation.
      </Text>
      <TextInput
        label="Fingerprint"
        description="Binds the certificate to one device. Empty: any device can use it."
        autoComplete="off"
        data-autofocus
        {...resource.form.getInputProps('fingerprint')}
      />
    </ResourceFormBody>
  );
}
