import { Alert, List, TextInput } from '@mantine/core';
import { useState } from 'react';
import { connectionsKey, createConnection, type Provider } from '../../api/connections.ts';
import { Page } from '../../components/Page.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { Section } from '../../components/Section.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { SetupSteps } from './SetupSteps.tsx';
import { ShopPicker } from './ShopPicker.tsx';
import { newConnectionSearch } from './search.ts';
import { shops } from './shops.ts';

/** The first step of connecting a shop: which one. */
export default function NewConnectionScreen() {
  const surface = useSurface();
  const [{ provider }, change] = useFilters(newConnectionSearch);
  const mayCreate = allows(surface, 'connections', 'create');
  return (
    <Page
      title="Connect a shop"
      parent={{ label: 'Shops', to: '/connections' }}
      description="This takes three steps and about five minutes. The service changes nothing in your shop."
    >
      <SetupSteps active={0} />
      {mayCreate ? (
        <Section title="Which shop?">
          <ShopPicker selected={provider} onSelect={(next) => void change({ provider: next }, { replace: true })} />
          {provider !== undefined && <ConnectionForm key={provider} provider={provider} />}
        </Section>
      ) : (
        <Alert color="yellow">Your role does not allow this. An owner of the tenant can change your role.</Alert>
      )}
    </Page>
  );
}

function ConnectionForm({ provider }: { readonly provider: Provider }) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const shop = shops[provider];
  const needsKey = shop.apiKey?.isRequired === true;
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const next = (id: string) => navigate(`/connections/${id}/setup`, { search: { step: 'address' } });
  const resource = useResourceForm({
    initialValues: { name: shop.name, api_key: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name.' : null),
      api_key: (key) => (needsKey && key.trim() === '' ? 'Paste the access token.' : null),
    },
    submit: ({ name, api_key }, key) =>
      createConnection(surface, { provider, name: name.trim(), ...(needsKey && { api_key: api_key.trim() }) }, key),
    invalidates: [connectionsKey(surface)],
    onSaved: async (connection) => {
      const secret = 'signing_secret' in connection ? connection.signing_secret : null;
      // A repeated request is answered without the secret; the next page offers to replace it.
      if (secret == null) await next(connection.id);
      else setCreated({ id: connection.id, secret });
    },
  });
  const { form } = resource;
  return (
    <>
      <ResourceFormBody resource={resource} submitLabel="Continue">
        <TextInput
          label="Name"
          description="A name that your team recognizes."
          maxLength={100}
          required
          {...form.getInputProps('name')}
        />
        {needsKey && (
          <List type="ordered" size="md" spacing={4}>
            {shop.steps.slice(0, 2).map((step) => (
              <List.Item key={step}>{step}</List.Item>
            ))}
          </List>
        )}
        {needsKey && (
          <PasswordField
            label="Access token"
            description={shop.apiKey?.description}
            autoComplete="off"
            required
            {...form.getInputProps('api_key')}
          />
        )}
      </ResourceFormBody>
      <SecretDialog
        title="Connection created"
        label="signing secret"
        secret={created?.secret ?? null}
        onStored={() => {
          const id = created?.id;
          setCreated(null);
          if (id !== undefined) void next(id);
        }}
      >
        Your shop signs its messages with it, as Standard Webhooks describes. The next step shows the address.
      </SecretDialog>
    </>
  );
}
