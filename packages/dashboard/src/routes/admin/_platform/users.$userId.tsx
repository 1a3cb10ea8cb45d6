import { createFileRoute } from '@tanstack/react-router';
import { UserScreen } from '../../../features/users/UserScreen.tsx';

export const Route = createFileRoute('/admin/_platform/users/$userId')({
  component: () => <UserScreen id={Route.useParams().userId} />,
});
