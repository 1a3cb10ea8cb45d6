import { Anchor, Button, Code, Group, List, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Connection, connectionsKey, updateConnection } from '../../api/connections.ts';
import { portalQuery } from '../../api/portal.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { customMessage } from './custom-example.ts';
import { shops } from './shops.ts';

interface AddressStepProps {
  readonly connection: Connection;
  readonly onNext: () => void;
}

/** Where the address goes, and where the secret comes from, in the words of the shop. */
export function AddressStep({ connection, onNext }: AddressStepProps) {
  const { provider, webhook_url } = connection;
  const shop = shops[provider];
  const isCustom = provider === 'custom';
  return (
    <>
      <Section
        title={isCustom ? 'In your shop' : `In ${shop.name}`}
        description={
          <>
            The{' '}
            <Anchor href={`/docs/shops/${provider}/`} target="_blank" inherit underline="always">
              guide
            </Anchor>{' '}
            explains every step, and says what was never run against a live shop.
          </>
        }
      >
        <List type="ordered" size="md" spacing={6}>
          {shop.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        <Stack gap={4}>
          <Text fw={600} size="sm">
            Address
          </Text>
          <CodeBlock code={webhook_url} label="address" />
        </Stack>
        {shop.events.length > 0 && <Events events={shop.events} />}
        {isCustom && (
          <Stack gap={4}>
            <Text fw={600} size="sm">
              A sale, as your shop sends it
            </Text>
            <CodeBlock code={customMessage(webhook_url)} label="example of a message" />
          </Stack>
        )}
        <ReturnAddress connection={connection} />
      </Section>
      <Credentials connection={connection} onNext={onNext} />
    </>
  );
}

function Events({ events }: { readonly events: readonly string[] }) {
  return (
    <Stack gap={6}>
      <Text fw={600} size="sm">
        Events
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing={6} component="ul" m={0} p={0}>
        {events.map((event) => (
          <li key={event} style={{ listStyle: 'none', overflowWrap: 'anywhere' }}>
            <Code>{event}</Code>
          </li>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** The address to which the shop sends a buyer after the payment, if the portal is open and the shop can do it. */
function ReturnAddress({ connection }: Pick<AddressStepProps, 'connection'>) {
  const { data: portal } = useQuery(portalQuery(useSurface()));
  const { checkoutPlaceholder: placeholder } = shops[connection.provider];
  if (placeholder === null || portal?.is_enabled !== true || portal.url === null) return null;
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        The customer’s first minute (optional)
      </Text>
      <Hint>
        Send the customer to this page after the payment. It shows the license key as soon as the shop’s message is
        here.
      </Hint>
      <CodeBlock
        code={`${portal.url}/purchase?connection=${connection.id}&id=${placeholder}`}
        label="address for customers"
      />
    </Stack>
  );
}

/** The secret and the API key of a connection. They are stored sealed, and never shown again. */
function Credentials({ connection, onNext }: AddressStepProps) {
  const surface = useSurface();
  const { provider, has_signing_secret, has_api_key } = connection;
  const { secret, apiKey, name } = shops[provider];
  const resource = useResourceForm({
    initialValues: { signing_secret: '', api_key: '' },
    validate: {
      signing_secret: (text) =>
        secret !== null && !has_signing_secret && text.trim() === '' ? 'Enter the signing secret of the shop.' : null,
    },
    submit: async ({ signing_secret, api_key }) => {
      const body = {
        ...(signing_secret.trim() !== '' && { signing_secret: signing_secret.trim() }),
        ...(api_key.trim() !== '' && { api_key: api_key.trim() }),
      };
      return Object.keys(body).length === 0 ? connection : await updateConnection(surface, connection.id, body);
    },
    invalidates: [connectionsKey(surface)],
    onSaved: onNext,
  });
  const { form } = resource;
  const hasFields = secret !== null || (apiKey !== null && !apiKey.isRequired);
  const stored = 'Stored. Enter a new one to replace it.';
  if (!hasFields) {
    return (
      <Group justify="flex-end">
        <Button onClick={onNext}>Continue</Button>
      </Group>
    );
  }
  return (
    <Section title={`From ${name}`} description="It is stored encrypted and never shown again.">
      <ResourceFormBody resource={resource} submitLabel="Continue">
        {secret !== null && (
          <PasswordField
            label="Signing secret"
            description={secret.description}
            placeholder={has_signing_secret ? stored : secret.placeholder}
            required={!has_signing_secret}
            autoComplete="off"
            {...form.getInputProps('signing_secret')}
          />
        )}
        {apiKey !== null && !apiKey.isRequired && (
          <PasswordField
            label="API key"
            description={`Optional, and recommended: the service then finds lost messages every night, and offers your products to choose from. ${apiKey.description}`}
            placeholder={has_api_key ? stored : apiKey.placeholder}
            autoComplete="off"
            {...form.getInputProps('api_key')}
          />
        )}
      </ResourceFormBody>
    </Section>
  );
}
