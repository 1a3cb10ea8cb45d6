import { Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { SurfaceLink } from '../shell/SurfaceLink.tsx';
import { useDocumentTitle } from '../shell/surface-context.ts';
import { QueryPlaceholder, type QueryPlaceholderProps } from './ErrorState.tsx';

interface PageProps {
  /** The name of the screen: the heading and the first part of the document title. */
  readonly title: string;
  /** The status of the object whose page it is, and other badges beside its name. */
  readonly badges?: ReactNode;
  readonly description?: ReactNode;
  /** The list that the object belongs to. */
  readonly parent?: {
    readonly label: string;
    readonly to: string;
    readonly search?: Readonly<Record<string, string>>;
  };
  /** The primary action, and others before it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a screen's content: heading, document title, description and actions. */
export function Page({ title, badges, description, parent, actions, children }: PageProps) {
  useDocumentTitle(title);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        {parent !== undefined && (
          <Breadcrumbs fz="sm" aria-label="Breadcrumbs">
            <SurfaceLink to={parent.to} {...(parent.search && { search: parent.search })} size="sm" c="dimmed">
              {parent.label}
            </SurfaceLink>
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} style={{ flex: '1 1 240px', minWidth: 0 }}>
            {badges === undefined ? (
              <Title order={1}>{title}</Title>
            ) : (
              <Group gap="xs">
                <Title order={1} style={{ overflowWrap: 'anywhere' }}>
                  {title}
                </Title>
                {badges}
              </Group>
            )}
            {description !== undefined && (
              <Text c="dimmed" maw={720} component="div">
                {description}
              </Text>
            )}
          </Stack>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      </Stack>
      {children}
    </Stack>
  );
}

/** The page of an object that is not loaded. */
export function UnloadedPage({ title, parent, ...query }: Pick<PageProps, 'title' | 'parent'> & QueryPlaceholderProps) {
  return (
    <Page title={title} {...(parent && { parent })}>
      <QueryPlaceholder {...query} />
    </Page>
  );
}
