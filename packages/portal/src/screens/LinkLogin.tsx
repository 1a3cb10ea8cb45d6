import { useLanguage } from '../language/Language.tsx';
import { Heading } from '../parts/Heading.tsx';
import { Notice, ProblemNotice } from '../parts/Notice.tsx';
import { usePortal } from '../portal-context.ts';
import { storePendingEmail } from '../session.ts';
import { useAction } from '../use-load.ts';

/**
 * The login with the link of a mail. It waits for a button, because programs that check mails open their links, and the
 * link works once.
 */
export function LinkLogin({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const { t } = useLanguage();
  const { handle, api, brand, setSession } = usePortal();
  const logIn = useAction(async () => {
    const session = await api.logInWithLink(token);
    storePendingEmail(handle, null);
    setSession(session);
    onDone();
  });
  const heading = t('link.heading');
  const wasUsed = logIn.problem?.code === 'PORTAL.LOGIN_INVALID';
  return (
    <section className="card narrow">
      <Heading title={t('page.title', { screen: heading, vendor: brand.display_name })}>{heading}</Heading>
      {!wasUsed && <p>{t('link.intro')}</p>}
      {wasUsed ? <Notice kind="bad">{t('link.used')}</Notice> : <ProblemNotice problem={logIn.problem} />}
      {wasUsed ? (
        <button type="button" className="primary wide" onClick={onDone}>
          {t('link.other')}
        </button>
      ) : (
        <button type="button" className="primary wide" aria-busy={logIn.isRunning} onClick={() => void logIn.run()}>
          {t('link.submit')}
        </button>
      )}
    </section>
  );
}

/** Says that the session has ended, so that nobody wonders where the screen went. */
export function ExpiredScreen({ onDone }: { readonly onDone: () => void }) {
  const { t } = useLanguage();
  const { brand } = usePortal();
  const heading = t('expired.heading');
  return (
    <section className="card narrow">
      <Heading title={t('page.title', { screen: heading, vendor: brand.display_name })}>{heading}</Heading>
      <p>{t('expired.text')}</p>
      <button type="button" className="primary wide" onClick={onDone}>
        {t('expired.logIn')}
      </button>
    </section>
  );
}
