import { Accordion, Group, Stack, Text } from '@mantine/core';
import { CircleCheck, CircleX } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { WebhookDelivery } from '../../api/webhooks.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { formatNumber } from '../../lib/text.ts';
import { prettyBody } from './body-text.ts';
import { outcomeText } from './health.ts';

type Attempt = WebhookDelivery['attempts'][number];

/** The attempts of a delivery, newest first, each with its request and its response. */
export function AttemptList({ delivery }: { readonly delivery: WebhookDelivery }) {
  const attempts = delivery.attempts.map((attempt, index) => ({ attempt, number: index + 1 })).reverse();
  const newest = attempts[0]?.attempt.at ?? null;
  const [opened, setOpened] = useState<string[]>([]);
  // A new attempt opens automatically, because the person waits for it.
  useEffect(() => {
    if (newest !== null) setOpened((before) => [...before, newest]);
  }, [newest]);
  return (
    <Section title="Attempts">
      {attempts.length === 0 ? (
        <Text c="dimmed" role="status">
          {delivery.status === 'pending' ? 'The first attempt begins within seconds.' : 'No attempt was made.'}
        </Text>
      ) : (
        <Accordion variant="separated" multiple value={opened} onChange={setOpened} order={3}>
          {attempts.map(({ attempt, number }) => (
            <Accordion.Item key={attempt.at} value={attempt.at}>
              <Accordion.Control>
                <AttemptHeading attempt={attempt} number={number} />
              </Accordion.Control>
              <Accordion.Panel>
                <AttemptDetails attempt={attempt} number={number} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Section>
  );
}

function AttemptHeading({ attempt, number }: { readonly attempt: Attempt; readonly number: number }) {
  const isSuccess = attempt.error === null;
  const Icon = isSuccess ? CircleCheck : CircleX;
  return (
    <Group gap="xs" wrap="wrap">
      <Icon
        size={16}
        aria-hidden="true"
        color={isSuccess ? 'var(--mantine-color-teal-text)' : 'var(--mantine-color-red-text)'}
      />
      <Text span fw={600}>
        Attempt {number}
      </Text>
      <Text span>{isSuccess ? 'succeeded' : 'failed'}</Text>
      <Text span ff="monospace" size="sm">
        {outcomeText(attempt)}
      </Text>
      <Text span c="dimmed" size="sm" className="tabular">
        {formatNumber(attempt.duration_ms)} ms · {attempt.trigger === 'manual' ? 'resent by hand' : 'scheduled'}
      </Text>
      <Text span c="dimmed" size="sm">
        <time dateTime={attempt.at}>{new Date(attempt.at).toLocaleString()}</time>
      </Text>
    </Group>
  );
}

function AttemptDetails({ attempt, number }: { readonly attempt: Attempt; readonly number: number }) {
  const headers = Object.entries(attempt.request_headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Stack gap="md">
      <Stack gap={4}>
        <Text fw={600} size="sm">
          Request headers
        </Text>
        <CodeBlock
          code={[...headers, 'webhook-signature: (not stored)'].join('\n')}
          label={`request headers of attempt ${number}`}
        />
      </Stack>
      <Stack gap={4}>
        <Text fw={600} size="sm">
          Response
        </Text>
        <Text size="sm">
          {outcomeText(attempt)} after {formatNumber(attempt.duration_ms)} ms, <TimeText value={attempt.at} />
        </Text>
        <ResponseBody body={attempt.response_body} label={`response body of attempt ${number}`} />
      </Stack>
    </Stack>
  );
}

function ResponseBody({ body, label }: { readonly body: string | null; readonly label: string }) {
  if (body === null) return null;
  if (body === '') {
    return (
      <Text size="sm" c="dimmed">
        The response has no body.
      </Text>
    );
  }
  return <CodeBlock code={prettyBody(body)} label={label} />;
}
