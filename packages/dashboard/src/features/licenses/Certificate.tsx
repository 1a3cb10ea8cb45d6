import { Autocomplete, Checkbox, FileInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { activationsKey, activationsQuery } from '../../api/activations.ts';
import { activateDevice, issueCertificate, type License, licensesKey } from '../../api/licenses.ts';
import { type Product, policyQuery, productQuery } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { DialogButtons } from '../../components/ConfirmDialog.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Download } from '../../icons/icons.gen.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { deviceOf } from './ActivateDeviceForm.tsx';
import { certificateFile, readRequestFile } from './offline-files.ts';

interface Issued {
  readonly certificate: string;
  readonly expires_at: string;
}

interface CertificateProps {
  readonly license: License;
  readonly onClose: () => void;
}

/** Issues an offline certificate and offers it as a file. */
export function Certificate({ license, onClose }: CertificateProps) {
  const { data: product } = useQuery(productQuery(useSurface(), license.product_id));
  const [issued, setIssued] = useState<Issued | null>(null);
  if (product === undefined) return null;
  if (issued === null) {
    return <IssueForm license={license} product={product} onIssued={setIssued} />;
  }
  const { certificate, expires_at } = issued;
  const text = certificateFile({ product: product.code, license_key: license.key, certificate, expires_at });
  return (
    <Stack gap="md">
      <Text>
        Valid until <TimeText value={expires_at} />. The application on the device imports this file, and verifies it
        with your public keys, without a network.
      </Text>
      <CodeBlock code={text} label="certificate" />
      <DialogButtons onCancel={onClose} cancelLabel="Close">
        <ActionButton
          icon={Download}
          label="Download certificate"
          onClick={() => saveFile(new Blob([text], { type: 'application/json' }), `${product.code}-certificate.json`)}
        />
      </DialogButtons>
    </Stack>
  );
}

interface IssueFormProps extends Pick<CertificateProps, 'license'> {
  readonly product: Pick<Product, 'code'>;
  readonly onIssued: (issued: Issued) => void;
}

/** Asks for the device. A policy that requires activation needs an active one, so the form offers to activate it. */
function IssueForm({ license, product, onIssued }: IssueFormProps) {
  const surface = useSurface();
  const { data: policy } = useQuery(policyQuery(surface, license.policy_id));
  const { data: devices } = useQuery(activationsQuery(surface, { license_id: license.id, status: 'active' }));
  const active = devices?.data.map((device) => device.fingerprint) ?? [];
  const needsDevice = policy?.require_activation === true;
  const resource = useResourceForm({
    initialValues: { fingerprint: '', name: '', activates: true },
    validate: {
      fingerprint: (value) =>
        needsDevice && value.trim() === '' ? 'Enter the fingerprint: the policy requires an activated device.' : null,
    },
    submit: async ({ fingerprint, name, activates }, idempotencyKey) => {
      const named = fingerprint.trim();
      if (needsDevice && activates && !active.includes(named))
        await activateDevice(surface, license.id, deviceOf(named, name), idempotencyKey);
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
  const [fault, setFault] = useState<string | null>(null);
  const named = form.getValues().fingerprint.trim();
  const readFile = async (file: File | null) => {
    const request = file === null ? { fingerprint: '', name: '' } : readRequestFile(await file.text(), product);
    setFault(typeof request === 'string' ? request : null);
    if (typeof request !== 'string') form.setValues(request);
  };
  return (
    <ResourceFormBody resource={resource} submitLabel="Issue certificate">
      <Text>
        A signed file with which a device checks the license without a network. The application on the device writes a
        request file: choose it here, or enter the fingerprint.
      </Text>
      <FileInput
        label="Request file"
        placeholder="Choose a file"
        accept=".json,application/json"
        error={fault}
        clearable
        clearButtonProps={{ 'aria-label': 'Remove the file' }}
        onChange={(file) => void readFile(file)}
      />
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
          description="It is not active now. It counts as one of the devices of the license."
          {...form.getInputProps('activates', { type: 'checkbox' })}
        />
      )}
    </ResourceFormBody>
  );
}
