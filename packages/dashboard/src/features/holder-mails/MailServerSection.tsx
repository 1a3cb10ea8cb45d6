import { Button, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type MailSettings,
  mailSettingsQuery,
  removeMailServer,
  type SetMailServer,
  setMailServer,
} from '../../api/holder-mails.ts';
import { meQuery } from '../../api/me.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Facts } from '../../components/Facts.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Server } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';

/** The server that sends the mails: the one of the service, or the tenant's own. */
export function MailServerSection({ settings }: { readonly settings: MailSettings }) {
  const surface = useSurface();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const { server } = settings;
  const mayChange = allows(surface, 'mail-templates', 'update');
  const show = (saved: MailSettings) => client.setQueryData(mailSettingsQuery(surface).queryKey, saved);
  return (
    <Section
      title="Mail server"
      description="Mails are sent in your name. With your own mail server, they also come from your address, and the daily limit of the service does not apply."
      actions={
        mayChange && (
          <>
            <ActionButton
              icon={Server}
              label={server === null ? 'Use your own server' : 'Change server'}
              variant="default"
              onClick={() => setOpen(true)}
            />
            {server !== null && (
              <Button variant="default" onClick={() => setLeaving(true)}>
                Use the service’s server
              </Button>
            )}
          </>
        )
      }
    >
      {server === null ? (
        <Text size="sm">The mail server of the service sends the mails.</Text>
      ) : (
        <Facts
          cols={4}
          items={[
            { label: 'Server', value: `${server.host}:${server.port}` },
            { label: 'User', value: server.user ?? 'No login' },
            { label: 'Sender', value: server.from_address },
            { label: 'Accepted the test mail', value: <TimeText value={server.proved_at} /> },
          ]}
        />
      )}
      <FormDrawer title="Your own mail server" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ServerForm settings={settings} onClose={() => setOpen(false)} onSaved={show} />
      </FormDrawer>
      <ConfirmDialog
        title="Use the service’s server"
        isOpen={isLeaving}
        onClose={() => setLeaving(false)}
        onConfirm={async () => show(await removeMailServer(surface))}
      >
        Your server and its password are deleted. The mail server of the service sends the mails that wait.
      </ConfirmDialog>
    </Section>
  );
}

interface ServerFormProps {
  readonly settings: MailSettings;
  readonly onClose: () => void;
  readonly onSaved: (saved: MailSettings) => void;
}

function ServerForm({ settings: { server }, onClose, onSaved }: ServerFormProps) {
  const surface = useSurface();
  const { data: me } = useQuery(meQuery(surface.area));
  const own = me !== undefined && 'user' in me ? (me.user?.email ?? '') : '';
  const resource = useResourceForm({
    initialValues: {
      host: server?.host ?? '',
      port: String(server?.port ?? 587),
      security: (server?.security ?? 'starttls') as string,
      user: server?.user ?? '',
      password: '',
      from_address: server?.from_address ?? '',
      test_recipient: own,
    },
    validate: {
      host: (host) => (host.trim() === '' ? 'Enter the name of the server.' : null),
      from_address: (address) => (address.includes('@') ? null : 'Enter the address of the sender.'),
      test_recipient: (address) => (address.includes('@') ? null : 'Enter an address that you can read.'),
    },
    submit: ({ port, security, user, password, ...rest }) =>
      setMailServer(surface, {
        ...rest,
        host: rest.host.trim(),
        port: Number(port) as SetMailServer['port'],
        security: security as SetMailServer['security'],
        user: user.trim() === '' ? null : user.trim(),
        ...(password !== '' && { password }),
      }),
    onSaved: (saved) => {
      onSaved(saved);
      onClose();
    },
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Send test mail and use server">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label="Server" placeholder="smtp.example.com" required {...form.getInputProps('host')} />
          <Select
            label="Port"
            data={['587', '465', '25', '2525', '2587', '2465']}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            {...form.getInputProps('port')}
          />
          <Select
            label="Encryption"
            data={[
              { value: 'starttls', label: 'STARTTLS (usual on port 587)' },
              { value: 'implicit', label: 'TLS (usual on port 465)' },
            ]}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            {...form.getInputProps('security')}
          />
          <TextInput
            label="User"
            placeholder="licenses@example.com"
            autoComplete="off"
            {...form.getInputProps('user')}
          />
          <PasswordField
            label="Password"
            description={server?.user ? 'Leave this empty to keep the stored password.' : undefined}
            autoComplete="new-password"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps('password')}
          />
          <TextInput
            label="Sender’s address"
            type="email"
            placeholder="licenses@example.com"
            required
            {...form.getInputProps('from_address')}
          />
        </SimpleGrid>
        <TextInput
          label="Send the test mail to"
          description="The server is used only if it accepts this mail. Until then nothing changes."
          type="email"
          required
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('test_recipient')}
        />
      </Stack>
    </ResourceFormBody>
  );
}
