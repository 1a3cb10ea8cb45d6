import { createFileRoute } from '@tanstack/react-router';
import { MembersScreen } from '../../../features/members/MembersScreen.tsx';
import { membersSearch } from '../../../features/members/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/members')({
  validateSearch: membersSearch,
  component: MembersScreen,
});
