import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { confirmEmailChange } from '../../api/identity.ts';
import { EmailLinkDone, EmailLinkScreen } from './EmailLinkScreen.tsx';

/** Confirms a new address with the link that was mailed to it. */
export function ChangeEmailScreen() {
  return (
    <EmailLinkScreen
      title="Confirm your new email"
      description="From then on, you log in with the new address. Your sessions on other devices end."
      submitLabel="Confirm the address"
      invalid="This link was used already, was replaced by a newer one, or is older than 60 minutes. Your address has not changed. You can request the change again in your account."
      follow={confirmEmailChange}
      done={(email) => (
        <EmailLinkDone
          title="Your email is changed"
          email={email}
          before="You now log in with"
          after="."
          next={
            <Button component={Link} to="/account" size="md">
              Open your account
            </Button>
          }
        />
      )}
    />
  );
}
