import { createFileRoute } from '@tanstack/react-router';
import { MailSettingsScreen } from '../../../features/holder-mails/MailSettingsScreen.tsx';

export const Route = createFileRoute('/_user/_tenant/settings_/mails/')({
  component: MailSettingsScreen,
});
