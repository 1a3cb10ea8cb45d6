import { createFileRoute } from '@tanstack/react-router';
import { MailSettingsScreen } from '../../../features/holder-mails/MailSettingsScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/settings_/mails/')({
  component: MailSettingsScreen,
});
