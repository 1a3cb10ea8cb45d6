import { Anchor, Group, Paper, SimpleGrid, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type DeveloperSnapshot, snapshotQuery } from '../../api/dev-tools.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import type { IconComponent } from '../../icons/icon.ts';
import { BookOpenText, CircleCheck, Package, ScrollText, Terminal } from '../../icons/icons.gen.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';

/** Everything that a developer needs to integrate the service: addresses, ids, code and the last failures. */
export default function DevelopersScreen(): ReactNode {
  const surface = useSurface();
  const { data, error, refetch } = useQuery(snapshotQuery(surface));
  return (
    <Page title="Developer tools" description="Everything you need to check licenses in your application.">
      {data === undefined ? (
        <QueryPlaceholder error={error} refetch={refetch} skeleton={<DevelopersSkeleton />} />
      ) : (
        <Content snapshot={data} tenantId={surface.tenantId ?? ''} />
      )}
    </Page>
  );
}

function DevelopersSkeleton() {
  return (
    <Stack gap="lg" aria-busy="true">
      <Skeleton h={180} radius="md" />
      <Skeleton h={300} radius="md" />
      <Skeleton h={240} radius="md" />
    </Stack>
  );
}

function Content({ snapshot, tenantId }: { readonly snapshot: DeveloperSnapshot; readonly tenantId: string }) {
  const { base_url: baseUrl, api_version, service_version } = snapshot.environment;
  const jwks = `${baseUrl}/api/v1/tenants/${tenantId}/jwks.json`;
  return (
    <>
      <Section title="Connection">
        <Facts
          cols={2}
          items={[
            { label: 'Base URL', value: <CopyableText value={baseUrl} label="base URL" size="md" /> },
            { label: 'Tenant ID', value: <CopyableText value={tenantId} label="tenant ID" size="md" /> },
            {
              label: 'Integration API, for your applications',
              value: <CopyableText value={`${baseUrl}/api/v1/integration`} label="Integration API" size="md" />,
            },
            {
              label: 'Public signing keys (JWKS), for offline certificates',
              value: <CopyableText value={jwks} label="JWKS URL" size="md" />,
            },
            { label: 'API version', value: api_version },
            { label: 'Service version', value: service_version },
          ]}
        />
      </Section>
      <Section
        title="Validate a license"
        description={<SnippetNotes snapshot={snapshot} />}
        actions={
          <SurfaceLink to="/api-keys" search={{ panel: 'new' }} size="md">
            New API key
          </SurfaceLink>
        }
      >
        <Snippets snippets={snapshot.snippets} />
      </Section>
      <FailedRequests />
      <Resources />
    </>
  );
}

function SnippetNotes({ snapshot }: { readonly snapshot: DeveloperSnapshot }) {
  const { license_id: licenseId } = snapshot.snippets;
  return (
    <>
      Set <code>LICENSING_API_KEY</code> to an API key and <code>LICENSE_KEY</code> to the key of{' '}
      {licenseId === null ? (
        'a license'
      ) : (
        <SurfaceLink to={`/licenses/${licenseId}`} underline="always">
          your newest license
        </SurfaceLink>
      )}
      . The code does not contain any secrets.
    </>
  );
}

interface Resource {
  readonly icon: IconComponent;
  readonly title: string;
  readonly text: string;
  readonly href: string;
}

const resources: readonly Resource[] = [
  {
    icon: BookOpenText,
    title: 'Guides',
    text: 'Learn how to license your application, online and offline.',
    href: '/docs/quickstart/',
  },
  {
    icon: ScrollText,
    title: 'API reference',
    text: 'Look up every operation and error code.',
    href: '/docs/',
  },
  {
    icon: Package,
    title: 'TypeScript SDK',
    text: 'Works with Node, browsers, Electron, Deno and Bun.',
    href: '/docs/sdks/typescript/',
  },
  { icon: Terminal, title: 'Python SDK', text: 'Works with Python 3.9 and later.', href: '/docs/sdks/python/' },
  { icon: Terminal, title: 'Go SDK', text: 'Works with Go 1.19 and later.', href: '/docs/sdks/go/' },
  {
    icon: Terminal,
    title: 'C and C++ SDK',
    text: 'Works with C11, C++17, C#, Swift and Delphi.',
    href: '/docs/sdks/c/',
  },
];

function Resources() {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
      {resources.map(({ icon: Icon, title, text, href }) => (
        <Paper key={title} p="md">
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <Icon size={18} aria-hidden="true" style={{ flexShrink: 0 }} />
            <Stack gap={2} style={{ minWidth: 0 }}>
              <Anchor href={href} size="md" fw={500}>
                {title}
              </Anchor>
              <Hint>{text}</Hint>
            </Stack>
          </Group>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

const languages = [
  { value: 'curl', label: 'curl', copied: 'curl command' },
  { value: 'typescript', label: 'TypeScript', copied: 'TypeScript program' },
  { value: 'python', label: 'Python', copied: 'Python program' },
] as const;

/** The code that validates a license, in each language. */
function Snippets({ snippets }: { readonly snippets: DeveloperSnapshot['snippets'] }) {
  return (
    <Tabs defaultValue="curl">
      <Tabs.List aria-label="Language">
        {languages.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {languages.map(({ value, copied }) => (
        <Tabs.Panel key={value} value={value} pt="xs">
          <CodeBlock code={snippets[value].trimEnd()} label={copied} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

type FailedRequest = DeveloperSnapshot['failed_requests'][number];

/** The page of the guides that explains a code. */
const explanationOf = (code: string) => `/docs/errors/#${code.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;

const columns: readonly Column<FailedRequest>[] = [
  timeColumn('Time', ({ occurred_at: at }) => at, { format: 'relative' }),
  {
    header: 'Code',
    cell: ({ code, status }) => (
      <>
        <Anchor href={explanationOf(code)} size="md" ff="monospace">
          {code}
        </Anchor>{' '}
        <Text span size="sm" c="dimmed">
          {status}
        </Text>
      </>
    ),
  },
  {
    header: 'Request',
    isSecondary: true,
    cell: ({ route }) => (
      <Text size="sm" ff="monospace" truncate maw={420} title={route}>
        {route.replace('/api/v1/integration', '')}
      </Text>
    ),
  },
  {
    header: 'Request ID',
    isSecondary: true,
    cell: ({ request_id: id }) => <CopyableText value={id} label="request ID" maxLength={16} />,
  },
];

/** The last requests of the tenant's applications that failed. */
function FailedRequests() {
  const surface = useSurface();
  const query = useQuery({
    ...snapshotQuery(surface),
    select: ({ failed_requests: data }) => ({ data, meta: { next_cursor: null } }),
  });
  return (
    <Section
      title="Recent failed requests"
      description="The 20 most recent requests to the Integration API that were refused."
    >
      <DataTable
        caption="Recent failed requests"
        columns={columns}
        query={query}
        rowKey={({ request_id: id, occurred_at: at }) => `${at} ${id}`}
        empty={{
          icon: CircleCheck,
          title: 'No failed requests',
          description:
            'Requests that are refused after authentication appear here, with their error code and request ID.',
        }}
      />
    </Section>
  );
}
