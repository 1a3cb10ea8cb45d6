import { Page } from '../../components/Page.tsx';

/** The state of the platform at a glance. */
export function AdminHomeScreen(): React.ReactNode {
  return <Page title="Home">The screens follow.</Page>;
}
