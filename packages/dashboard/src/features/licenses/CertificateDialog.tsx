import { Autocomplete, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { activationsKey, activationsQuery } from '../../api/activations.ts';
import { activateDevice, issueCertificate, type License, licensesKey, policyChoiceQuery } from '../../api/licenses.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { deviceOf } from './ActivateDeviceDialog.tsx';

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

type CertificateProps = Omit<CertificateDialogProps, 'isOpen'>;

function Certificate({ license, onClose }: CertificateProps) {
  const [issued, setIssued] = useState<Issued | null>(null);
  if (issued === null) return <IssueForm license={license} onClose={onClose} onIssued={setIssued} />;
  const file = new Blob([issued.certificate], { type: 'application/jwt' });
  return (
    <Stack gap="md">
      <Text size="md">
        Valid until <TimeText value={issued.expires_at} />. Your application verifies it with the tenant's public keys,
        without a network.
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

/** Asks for the device. A policy that requires activation needs an active one, so the form offers to activate it. */
function IssueForm({ license, onClose, onIssued }: CertificateProps & { readonly onIssued: (issued: Issued) => void }) {
  const surface = useSurface();
  const { data: policy } = useQuery(policyChoiceQuery(surface, license.policy_id));
  const { data: devices } = useQuery(activationsQuery(surface, { license_id: license.id, status: 'active' }));
  const active = devices?.data.map((device) => device.fingerprint) ?? [];
  const needsDevice = policy?.require_activation === true;
  const resource = useResourceForm({
    initialValues: { fingerprint: '', activates: true },
    validate: {
      fingerprint: (value) =>
        needsDevice && value.trim() === '' ? 'Enter the fingerprint: the policy requires an activated device.' : null,
    },
    submit: async ({ fingerprint, activates }, idempotencyKey) => {
      const named = fingerprint.trim();
      if (needsDevice && activates && !active.includes(named))
        await activateDevice(surface, license.id, deviceOf(named, ''), idempotencyKey);
      return await issueCertificate(surface, license.id, named === '' ? {} : { fingerprint: named });
    },
    invalidates: [licensesKey(surface), activationsKey(surface)],
    onSaved: onIssued,
    fieldsOfCodes: {
      'ACTIVATION.FINGERPRINT_REQUIRED': 'fingerprint',
      'ACTIVATION.NOT_FOUND': 'fingerprint',
      'ACTIVATION.LIMIT_REACHED': 'fingerprint',
    },
  });
  const { form } = resource;
  const named = form.getValues().fingerprint.trim();
  return (
    <ResourceFormBody resource={resource} submitLabel="Issue certificate" onCancel={onClose}>
      <Text size="md">
        A signed file with which a device checks the license offline. Issuing one counts as a validation.
      </Text>
      <Autocomplete
        label="Fingerprint"
        description={
          needsDevice
            ? 'The device that gets the certificate. Its policy requires an activated device.'
            : 'Binds the certificate to one device. Leave it empty for a certificate that any device can use.'
        }
        data={active}
        openOnFocus={false}
        withAsterisk={needsDevice}
        maxLength={255}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('fingerprint')}
      />
      {needsDevice && named !== '' && !active.includes(named) && (
        <Checkbox
          label="Activate this device first"
          description="It is not active now. It takes a seat of the license."
          {...form.getInputProps('activates', { type: 'checkbox' })}
        />
      )}
    </ResourceFormBody>
  );
}
