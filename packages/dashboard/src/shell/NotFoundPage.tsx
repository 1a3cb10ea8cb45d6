import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CenteredPage } from './CenteredPage.tsx';

/** The page of a path that the application does not have. */
export function NotFoundPage() {
  return (
    <CenteredPage title="Page not found" description="Check the address. The page may have moved.">
      <Button component={Link} to="/">
        Go to overview
      </Button>
    </CenteredPage>
  );
}
