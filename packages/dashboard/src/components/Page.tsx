import { Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { SurfaceLink } from '../shell/SurfaceLink.tsx';
import { useDocumentTitle } from '../shell/surface-context.ts';

interface PageProps {
  /** The name of the screen: the heading and the first part of the document title. */
  readonly title: string;
  /** What the heading shows if it is more than the name, such as a name with its status. */
  readonly heading?: ReactNode;
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
export function Page({ title, heading, description, parent, actions, children }: PageProps) {
  useDocumentTitle(title);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        {parent !== undefined && (
          <Breadcrumbs separator="/" fz="sm" aria-label="Breadcrumbs">
            <SurfaceLink to={parent.to} {...(parent.search && { search: parent.search })} size="sm" c="dimmed">
              {parent.label}
            </SurfaceLink>
            <span />
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} style={{ flex: '1 1 240px', minWidth: 0 }}>
            {heading ?? <Title order={1}>{title}</Title>}
            {description !== undefined && (
              <Text c="dimmed" size="md" maw={720} component="div">
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
