import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CenteredPage } from '../../shell/CenteredPage.tsx';

/** What follows a verified address: the first tenant, or the tenants that the person has. */
export function Verified() {
  return (
    <CenteredPage title="Your email address is verified">
      <Stack gap="md">
        <Text size="md" role="status">
          Thank you. Your account is ready.
        </Text>
        <Button component={Link} to="/overview" size="md">
          Continue
        </Button>
      </Stack>
    </CenteredPage>
  );
}
