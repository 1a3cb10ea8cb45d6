import type { PlatformUserDetail } from '../../api/users.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { count } from '../../lib/text.ts';

/** The fields of an account. */
export function UserFacts({ user }: { readonly user: PlatformUserDetail }) {
  const { two_factor: twoFactor } = user;
  return (
    <Section title="Account">
      <Facts
        items={[
          { label: 'Name', value: user.name },
          { label: 'Email verified', value: <TimeText value={user.email_verified_at} fallback="Not verified" /> },
          { label: 'Id', value: <CopyableText value={user.id} label="user id" maxLength={18} /> },
          {
            label: 'Two-factor authentication',
            value:
              twoFactor.enabled_at === null ? (
                'Off'
              ) : (
                <>
                  On since <TimeText value={twoFactor.enabled_at} format="date" />,{' '}
                  {count(twoFactor.recovery_codes_left, 'recovery code')} left
                </>
              ),
          },
          { label: 'Password', value: user.has_password ? 'Set' : 'Not chosen yet' },
          { label: 'Joined', value: <TimeText value={user.created_at} /> },
          ...(user.disabled_at === null ? [] : [{ label: 'Disabled', value: <TimeText value={user.disabled_at} /> }]),
        ]}
      />
    </Section>
  );
}
