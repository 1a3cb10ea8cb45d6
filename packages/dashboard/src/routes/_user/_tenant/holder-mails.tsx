import { createFileRoute } from '@tanstack/react-router';
import { HolderMailsScreen } from '../../../features/holder-mails/HolderMailsScreen.tsx';
import { holderMailsSearch } from '../../../features/holder-mails/mail-types.ts';

export const Route = createFileRoute('/_user/_tenant/holder-mails')({
  validateSearch: holderMailsSearch,
  component: HolderMailsScreen,
});
