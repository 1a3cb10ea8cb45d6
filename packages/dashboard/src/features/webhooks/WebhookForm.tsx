import { Stack, TextInput } from '@mantine/core';
import type { CreateWebhook, WebhookEndpoint } from '../../api/webhooks.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { ProductOrAllInput } from '../../components/ChoiceInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { EventTypesInput } from './EventTypesInput.tsx';
import { HeadersInput } from './HeadersInput.tsx';
import { valuesOf } from './webhook-values.ts';

interface WebhookFormProps<Result> {
  /** The endpoint to change; absent for a new one. */
  readonly endpoint?: WebhookEndpoint;
  readonly submitLabel: string;
  readonly submit: (values: CreateWebhook, idempotencyKey: string) => Promise<Result>;
  /** Runs after a success; without it, the drawer closes. */
  readonly onSaved?: (result: Result) => unknown;
}

/** Validates a URL before the service does; returns an error message or null. */
function urlProblem(url: string): string | null {
  if (url === '') return 'Enter the URL of your server.';
  if (!URL.canParse(url)) return 'Enter a complete URL, such as https://example.com/webhooks.';
  const { protocol, username, hash } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'Enter a URL that begins with https://.';
  if (username !== '') return 'Enter a URL without a user name and password.';
  return hash === '' ? null : 'Enter a URL without a fragment (#…).';
}

/** The form of a new or an existing webhook endpoint. */
export function WebhookForm<Result>(props: WebhookFormProps<Result>) {
  const { endpoint, submitLabel, submit, onSaved } = props;
  const resource = useResourceForm({
    initialValues: valuesOf(endpoint),
    validate: {
      url: (url) => urlProblem(url.trim()),
      events: (events) => (events.length === 0 ? 'Choose at least one event type.' : null),
    },
    submit: ({ url, description, events, product_id, headers: entered }, key) => {
      const headers = entered.map(({ name, value }) => ({ name: name.trim(), ...(value !== '' && { value }) }));
      return submit({ url: url.trim(), description: description.trim() || null, events, product_id, headers }, key);
    },
    invalidates: [webhooksKey(useSurface())],
    ...(onSaved && { onSaved }),
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel={submitLabel}>
      <Stack gap="md">
        <TextInput
          label="URL"
          description="Your server must respond to a POST request with a status of 200 to 299 within 15 seconds."
          placeholder="https://example.com/webhooks"
          type="url"
          inputMode="url"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput
          label="Description"
          description="Tell your colleagues what this endpoint is for."
          placeholder="CRM"
          maxLength={500}
          {...form.getInputProps('description')}
        />
        <EventTypesInput
          label="Events"
          value={form.values.events}
          onChange={(events) => form.setFieldValue('events', [...events])}
          error={form.errors['events']}
        />
        <ProductOrAllInput
          description="Limit the endpoint to events of one product. It then gets no events about API keys and webhooks."
          {...form.getInputProps('product_id')}
        />
        <HeadersInput form={form} />
      </Stack>
    </ResourceFormBody>
  );
}
