import { Button, ColorInput, FileButton, Group, Input, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  type Brand,
  brandQuery,
  type PortalSettings,
  portalQuery,
  updateBrand,
  updatePortal,
} from '../../api/portal.ts';
import { mergeProblems, toProblem } from '../../api/problem.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { Mono } from '../../components/Texts.tsx';
import { type ResourceForm, useResourceForm } from '../../components/use-resource-form.ts';
import { ImageUp } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { DomainPart } from './DomainPart.tsx';
import { PortalPreview } from './PortalPreview.tsx';
import { brandOf, order, type PortalValues, portalOf, valuesOf } from './values.ts';

interface PortalFormProps {
  readonly portal: PortalSettings;
  readonly brand: Brand;
  readonly tenantName: string;
  readonly supportEmail: string | null;
  readonly isReadOnly: boolean;
}

/** The form of the portal's settings, with a preview beside it. */
export function PortalForm({ portal, brand, tenantName, supportEmail, isReadOnly }: PortalFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const resource = useResourceForm<PortalValues, { readonly portal: PortalSettings; readonly brand: Brand }>({
    initialValues: valuesOf(portal, brand),
    validate: {
      handle: (handle, { is_enabled, domain }) =>
        (is_enabled || domain.trim() !== '') && handle.trim() === ''
          ? 'Choose an address before you switch the portal on.'
          : null,
    },
    fieldsOfCodes: { 'PORTAL.HANDLE_TAKEN': 'handle', 'PORTAL.DOMAIN_TAKEN': 'domain' },
    async submit(values) {
      const saved = await Promise.allSettled([
        updateBrand(surface, brandOf(values, brand)),
        updatePortal(surface, portalOf(values)),
      ]);
      const [look, address] = saved;
      if (look.status === 'fulfilled') client.setQueryData(brandQuery(surface).queryKey, look.value);
      if (address.status === 'fulfilled') client.setQueryData(portalQuery(surface).queryKey, address.value);
      if (look.status === 'fulfilled' && address.status === 'fulfilled')
        return { brand: look.value, portal: address.value };
      // Each request knows the mistakes of its own fields.
      throw mergeProblems(saved.flatMap((one) => (one.status === 'rejected' ? [toProblem(one.reason)] : [])));
    },
    onSaved(saved) {
      client.setQueryData(portalQuery(surface).queryKey, saved.portal);
      resource.form.setInitialValues(valuesOf(saved.portal, saved.brand));
      resource.form.reset();
    },
  });
  const { values } = resource.form;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
      <ResourceFormBody resource={resource} submitLabel="Save portal" isReadOnly={isReadOnly}>
        <Stack gap="md">
          <AddressPart resource={resource} portal={portal} />
          <DomainPart resource={resource} domain={portal.domain} isReadOnly={isReadOnly} />
          <BrandPart resource={resource} tenantName={tenantName} />
          <PermissionPart resource={resource} />
        </Stack>
      </ResourceFormBody>
      <PortalPreview values={values} tenantName={tenantName} supportEmail={supportEmail} />
    </SimpleGrid>
  );
}

interface PartProps {
  readonly resource: ResourceForm<PortalValues>;
}

function AddressPart({ resource: { form }, portal: { url, domain } }: PartProps & { readonly portal: PortalSettings }) {
  const isElsewhere = url === null || (domain !== null && domain.verified_at !== null);
  const base = isElsewhere ? `${window.location.origin}/portal/` : url.slice(0, url.lastIndexOf('/') + 1);
  const { onChange, ...handle } = form.getInputProps('handle');
  return (
    <Section title="Address">
      <TextInput
        label="Handle"
        description={
          <>
            Your customers open{' '}
            <Mono style={{ overflowWrap: 'anywhere' }}>
              {base}
              {form.values.handle === '' ? '…' : form.values.handle}
            </Mono>
            . A new handle ends the links that were sent with the former one.
          </>
        }
        placeholder="acme"
        maxLength={40}
        autoComplete="off"
        spellCheck={false}
        inputWrapperOrder={order}
        {...handle}
        onChange={(event) => onChange(event.currentTarget.value.toLowerCase())}
      />
      <Switch
        label="Let customers open the portal"
        description="While this is off, nobody can open the portal. It keeps its address."
        {...form.getInputProps('is_enabled', { type: 'checkbox' })}
      />
    </Section>
  );
}

function BrandPart({ resource: { form }, tenantName }: PartProps & { readonly tenantName: string }) {
  return (
    <Section title="Look" description="Mails to your customers have the same name, logo and color.">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Display name"
          description="Leave it empty to show the name of the tenant."
          placeholder={tenantName}
          maxLength={100}
          inputWrapperOrder={order}
          {...form.getInputProps('display_name')}
        />
        <ColorInput
          label="Accent color"
          description="The color of buttons and links. White text on it must be readable."
          placeholder="#3346b0"
          format="hex"
          popoverProps={{ withinPortal: false, position: 'top-start' }}
          eyeDropperButtonProps={{ 'aria-label': 'Pick a color from the screen' }}
          inputWrapperOrder={order}
          {...form.getInputProps('accent_color')}
        />
        <TextInput
          label="Support page"
          description="Where your customers get help."
          placeholder="https://example.com/help"
          type="url"
          inputWrapperOrder={order}
          {...form.getInputProps('support_url')}
        />
      </SimpleGrid>
      <LogoInput
        value={form.values.logo}
        error={form.errors['logo']}
        onChange={(logo) => {
          form.setFieldValue('logo', logo);
          form.clearFieldError('logo');
        }}
      />
    </Section>
  );
}

interface LogoInputProps {
  readonly value: string | null;
  readonly error: ReactNode;
  readonly onChange: (logo: string | null) => void;
}

function LogoInput({ value, error, onChange }: LogoInputProps) {
  const choose = (file: File | null) => {
    if (file === null) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(file);
  };
  return (
    <Input.Wrapper
      label="Logo"
      labelElement="div"
      description="PNG or WebP, at most 64 KiB. A wide logo of 320 × 80 pixels looks best."
      error={error}
      inputWrapperOrder={order}
    >
      <Group gap="xs" my={4}>
        <FileButton onChange={choose} accept="image/png,image/webp">
          {(props) => (
            <Button {...props} variant="default" leftSection={<ImageUp size={15} aria-hidden="true" />}>
              {value === null ? 'Choose a logo' : 'Choose another logo'}
            </Button>
          )}
        </FileButton>
        {value !== null && (
          <Button variant="subtle" color="red" onClick={() => onChange(null)}>
            Remove
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}

const permissions = [
  {
    name: 'release_devices',
    label: 'Release devices',
    description: 'Release a device themselves, as often as the policy allows. They get a mail about each release.',
  },
  {
    name: 'replace_key',
    label: 'Replace the key',
    description: 'Only under policies that allow it. The former key stops working at once.',
  },
  {
    name: 'offline_activation',
    label: 'Activate offline',
    description: 'For machines without a network: upload a request file, download a certificate.',
  },
] as const;

function PermissionPart({ resource: { form } }: PartProps) {
  return (
    <Section title="What your customers may do" description="They can always see their licenses, keys and devices.">
      {permissions.map(({ name, label, description }) => (
        <Switch
          key={name}
          label={label}
          description={description}
          {...form.getInputProps(`permissions.${name}`, { type: 'checkbox' })}
        />
      ))}
    </Section>
  );
}
