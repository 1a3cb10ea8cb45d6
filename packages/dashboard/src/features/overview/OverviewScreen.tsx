import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';

/** The state of the tenant at a glance. */
export function OverviewScreen() {
  return (
    <Page title="Overview">
      <Section title="Validations">The screens follow.</Section>
    </Page>
  );
}
