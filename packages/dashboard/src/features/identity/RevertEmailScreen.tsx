import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { revertEmailChange } from '../../api/identity.ts';
import { clearSession } from '../../api/session.ts';
import { EmailLinkDone, EmailLinkScreen } from './EmailLinkScreen.tsx';

/** Undoes a change of the address with the link that was mailed to the old one. */
export function RevertEmailScreen() {
  return (
    <EmailLinkScreen
      title="Undo the change of your email"
      description="Your account keeps this address or gets it back. Every session ends, your password stops working, and we mail you a link to choose a new one."
      submitLabel="Undo the change"
      invalid="This link was used already, was replaced by a newer one, or is older than 7 days. Nothing has changed."
      follow={async (token) => {
        const email = await revertEmailChange(token);
        // The service has ended the session of this browser too.
        clearSession('tenant');
        return email;
      }}
      done={(email) => (
        <EmailLinkDone
          title="The change is undone"
          email={email}
          before="Your account has the address"
          after=". Choose a new password with the link that we mailed to it. Then check the members, API keys and access tokens of your tenants."
          next={
            <Button component={Link} to="/login" size="md">
              Back to the login
            </Button>
          }
        />
      )}
    />
  );
}
