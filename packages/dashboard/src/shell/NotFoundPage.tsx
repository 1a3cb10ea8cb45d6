import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CenteredPage } from './CenteredPage.tsx';

/** The page of a path that the application does not have. */
export function NotFoundPage() {
  return (
    <CenteredPage title="Page not found" description="The address is wrong, or the page has moved.">
      <Button component={Link} to="/">
        Open the overview
      </Button>
    </CenteredPage>
  );
}
