import { Anchor, Box, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ColorSchemeButton } from './ColorSchemeButton.tsx';
import { Logo } from './Logo.tsx';
import { useDocumentTitle } from './surface-context.ts';

interface CenteredPageProps {
  /** The name of the screen: the heading and the document title. */
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Links below the card. */
  readonly footer?: ReactNode;
}

/** A page with one card and no navigation: login, registration, links from mails, and states without a tenant. */
export function CenteredPage({ title, description, children, footer }: CenteredPageProps) {
  useDocumentTitle(title);
  return (
    <Box mih="100dvh" style={{ display: 'grid', gridTemplateRows: 'auto 1fr auto' }}>
      <Box component="header" p="md" style={{ display: 'flex', justifyContent: 'space-between' }}>
        <Anchor component={Link} to="/" c="inherit" underline="never" aria-label="Licensing, home">
          <Logo />
        </Anchor>
        <ColorSchemeButton />
      </Box>
      <Center component="main" px="md" py="lg">
        <Stack w="100%" maw={420} gap="md">
          <Paper p={{ base: 'lg', xs: 'xl' }} radius="lg" shadow="xs">
            <Stack gap="lg">
              <Stack gap={4}>
                <Title order={1}>{title}</Title>
                {description !== undefined && (
                  <Text c="dimmed" component="div">
                    {description}
                  </Text>
                )}
              </Stack>
              {children}
            </Stack>
          </Paper>
          {footer !== undefined && (
            <Text ta="center" c="dimmed" component="div">
              {footer}
            </Text>
          )}
        </Stack>
      </Center>
      <Box h={48} />
    </Box>
  );
}
