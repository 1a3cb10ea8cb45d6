import { createFileRoute } from '@tanstack/react-router';
import { MailTemplateScreen } from '../../../features/holder-mails/MailTemplateScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/settings_/mails/$type')({
  component: MailTemplateScreen,
});
