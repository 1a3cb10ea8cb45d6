import { Button, Group } from '@mantine/core';
import { Section } from '../../components/Section.tsx';
import { PathLink } from '../../shell/PathLink.tsx';

/** Says that the person has no password, and leads to the page that mails a link to choose one. */
export function NoPasswordSection() {
  return (
    <Section
      title="Password"
      description="You log in with single sign-on and have no password. You need one to unlink single sign-on, to set up two-factor authentication, or to delete your account."
    >
      <Group>
        <Button component={PathLink} to="/forgot-password" variant="default">
          Choose a password
        </Button>
      </Group>
    </Section>
  );
}
