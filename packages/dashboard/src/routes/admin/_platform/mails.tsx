import { createFileRoute } from '@tanstack/react-router';
import { MailsScreen } from '../../../features/mails/MailsScreen.tsx';
import { mailSearch } from '../../../features/mails/search.ts';

export const Route = createFileRoute('/admin/_platform/mails')({
  validateSearch: mailSearch,
  component: MailsScreen,
});
