import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useLanguage } from '../language/Language.tsx';
import { Heading } from '../parts/Heading.tsx';
import { Notice, ProblemNotice } from '../parts/Notice.tsx';
import { Sentence } from '../parts/Sentence.tsx';
import { usePortal } from '../portal-context.ts';
import { readPendingEmail, storePendingEmail } from '../session.ts';
import { useAction } from '../use-load.ts';

const codeDigits = 6;
/** The service says the same of a wrong, used and expired code. */
const loginInvalid = 'PORTAL.LOGIN_INVALID';

/** The login with an address and the code that is sent to it. */
export function CodeLogin() {
  const { handle } = usePortal();
  const [email, setEmail] = useState(() => readPendingEmail(handle));
  const choose = (next: string | null) => {
    storePendingEmail(handle, next);
    setEmail(next);
  };
  return email === null ? <AddressForm onSent={choose} /> : <CodeForm email={email} onOther={() => choose(null)} />;
}

function AddressForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const { t } = useLanguage();
  const { api, brand } = usePortal();
  const [isInvalid, setInvalid] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const ids = { field: useId(), error: useId() };
  const send = useAction(async (email: string) => {
    await api.requestCode(email);
    onSent(email);
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    const email = field.current?.value.trim() ?? '';
    const isComplete = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email);
    setInvalid(!isComplete);
    if (isComplete) void send.run(email);
    else field.current?.focus();
  }
  const heading = t('login.heading');
  return (
    <form className="card narrow" noValidate onSubmit={submit}>
      <Heading title={t('page.title', { screen: heading, vendor: brand.display_name })}>{heading}</Heading>
      <p>{t('login.intro')}</p>
      <div className="field">
        <label htmlFor={ids.field}>{t('login.email')}</label>
        <input
          ref={field}
          id={ids.field}
          type="email"
          autoComplete="email"
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={isInvalid}
          aria-describedby={isInvalid ? ids.error : undefined}
        />
        {isInvalid && (
          <p className="error" id={ids.error}>
            {t('login.invalid')}
          </p>
        )}
      </div>
      <ProblemNotice problem={send.problem} meanings={{ 'VALIDATION.FAILED': t('login.invalid') }} />
      <button type="submit" className="primary wide" aria-busy={send.isRunning}>
        {t('login.send')}
      </button>
    </form>
  );
}

/** Returns the digits of a typed or pasted text, such as `123 456`. */
const digitsOf = (text: string) => text.replaceAll(/\D/g, '').slice(0, codeDigits);

function CodeForm({ email, onOther }: { readonly email: string; readonly onOther: () => void }) {
  const { t } = useLanguage();
  const { handle, api, brand, setSession } = usePortal();
  const [code, setCode] = useState('');
  const [isIncomplete, setIncomplete] = useState(false);
  const [wasSentAgain, setSentAgain] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const ids = { field: useId(), error: useId() };
  useEffect(() => field.current?.focus(), []);
  const logIn = useAction(async (complete: string) => {
    const session = await api.logInWithCode(email, complete);
    storePendingEmail(handle, null);
    setSession(session);
  });
  const again = useAction(async () => {
    setSentAgain(false);
    logIn.clear();
    await api.requestCode(email);
    setCode('');
    setSentAgain(true);
    field.current?.focus();
  });
  function send(typed: string): void {
    again.clear();
    setSentAgain(false);
    const isComplete = typed.length === codeDigits;
    setIncomplete(!isComplete);
    if (isComplete) void logIn.run(typed).then(() => field.current?.select());
    else field.current?.focus();
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    send(code);
  }
  /** The last digit submits the form. */
  function change(text: string): void {
    const typed = digitsOf(text);
    setCode(typed);
    if (typed.length === codeDigits && typed !== code) send(typed);
  }
  const heading = t('code.heading');
  return (
    <form className="card narrow" noValidate onSubmit={submit}>
      <Heading title={t('page.title', { screen: heading, vendor: brand.display_name })}>{heading}</Heading>
      <p>
        <Sentence>{t('code.sent', { email })}</Sentence>
      </p>
      <div className="field">
        <label htmlFor={ids.field}>{t('code.label')}</label>
        <input
          ref={field}
          id={ids.field}
          className="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={({ target }) => change(target.value)}
          aria-invalid={isIncomplete || logIn.problem?.code === loginInvalid}
          aria-describedby={isIncomplete ? ids.error : undefined}
        />
        {isIncomplete && (
          <p className="error" id={ids.error}>
            {t('code.incomplete')}
          </p>
        )}
      </div>
      <ProblemNotice problem={logIn.problem ?? again.problem} meanings={{ [loginInvalid]: t('code.wrong') }} />
      {wasSentAgain && <Notice kind="good">{t('code.sentAgain')}</Notice>}
      <button type="submit" className="primary wide" aria-busy={logIn.isRunning}>
        {t('code.submit')}
      </button>
      <p className="dim">{t('code.missing')}</p>
      <div className="actions start">
        <button type="button" className="quiet" aria-busy={again.isRunning} onClick={() => void again.run()}>
          {t('code.again')}
        </button>
        <button type="button" className="quiet" onClick={onOther}>
          {t('code.other')}
        </button>
      </div>
    </form>
  );
}
