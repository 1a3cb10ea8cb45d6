import { createFileRoute } from '@tanstack/react-router';
import { HolderMailsScreen } from '../../../features/holder-mails/HolderMailsScreen.tsx';
import { holderMailsSearch } from '../../../features/holder-mails/mail-types.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/holder-mails')({
  validateSearch: holderMailsSearch,
  component: HolderMailsScreen,
});
