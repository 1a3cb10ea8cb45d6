import { Stack, Text } from '@mantine/core';
import { Hint } from '../../components/Texts.tsx';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';

const steps = [
  [
    '/portal-settings',
    'Open your portal',
    'Your customers see their licenses there, and release their devices themselves.',
  ],
  ['/settings/mails', 'Check your emails', 'Choose which emails your customers get, and what they say.'],
  ['/connections', 'Connect your shop', 'Each sale then issues its license, and each renewal extends it.'],
  ['/members', 'Invite your colleagues', 'They work with you in this dashboard, each with a role.'],
] as const;

/** What helps a vendor whose first license works. */
export function NextSteps() {
  return (
    <Stack component="section" gap="xs" aria-label="What next">
      <Text component="h3" fw={600} m={0}>
        What next
      </Text>
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(([path, title, text]) => (
          <li key={path}>
            <SurfaceLink to={path} size="md" underline="always">
              {title}
            </SurfaceLink>
            <Hint>{text}</Hint>
          </li>
        ))}
      </Stack>
    </Stack>
  );
}
