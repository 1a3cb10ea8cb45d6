import { createFileRoute } from '@tanstack/react-router';
import { Page } from '../../../components/Page.tsx';

export const Route = createFileRoute('/admin/_platform/account')({
  component: () => <Page title="Account">{null}</Page>,
});
