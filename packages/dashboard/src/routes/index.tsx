import { createFileRoute, redirect } from '@tanstack/react-router';
import { readSession } from '../api/session.ts';

export const Route = createFileRoute('/')({
  beforeLoad: () => {
    throw redirect({ to: readSession('tenant') === null ? '/login' : '/overview', replace: true });
  },
});
