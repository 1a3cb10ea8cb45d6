import { createFileRoute } from '@tanstack/react-router';
import { MailTemplateScreen } from '../../../features/holder-mails/MailTemplateScreen.tsx';
import { mailTemplateSearch } from '../../../features/holder-mails/mail-types.ts';

export const Route = createFileRoute('/_user/_tenant/settings_/mails/$type')({
  validateSearch: mailTemplateSearch,
  component: MailTemplateScreen,
});
