import { createFileRoute } from '@tanstack/react-router';
import { MailTemplateScreen } from '../../../features/holder-mails/MailTemplateScreen.tsx';

export const Route = createFileRoute('/_user/_tenant/settings_/mails/$type')({
  component: MailTemplateScreen,
});
