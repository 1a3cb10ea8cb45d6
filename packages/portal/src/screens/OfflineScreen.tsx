import { type ChangeEvent, type FormEvent, useCallback, useId, useRef, useState } from 'react';
import { useLanguage } from '../language/Language.tsx';
import { Heading } from '../parts/Heading.tsx';
import { Failure, Skeleton, UnknownScreen } from '../parts/Loading.tsx';
import { Notice, ProblemNotice } from '../parts/Notice.tsx';
import { usePortal } from '../portal-context.ts';
import { followLink, pathOf } from '../router.ts';
import { saveFile } from '../save-file.ts';
import type { OfflineActivation } from '../shapes.ts';
import { useAction, useLoad } from '../use-load.ts';

/** The service accepts no more; a request file has a few hundred bytes. */
const requestBytesMax = 4_096;

/** Turns the request file of a device without a network into its certificate file. */
export function OfflineScreen({ licenseId }: { readonly licenseId: string }) {
  const { t } = useLanguage();
  const { handle, api, brand } = usePortal();
  const loaded = useLoad(useCallback(() => api.loadLicense(licenseId), [api, licenseId]));
  const [activation, setActivation] = useState<OfflineActivation | null>(null);
  if (loaded.is === 'loading') return <Skeleton />;
  if (loaded.is === 'failed' && loaded.problem.status !== 404) {
    return <Failure problem={loaded.problem} retry={loaded.retry} vendor={brand.display_name} />;
  }
  if (loaded.is === 'failed' || !loaded.value.permissions.offline_activation) return <UnknownScreen what="license" />;
  const heading = t('offline.title');
  return (
    <div className="stack">
      <div>
        <a className="back" href={pathOf(handle, { screen: 'license', licenseId })} onClick={followLink}>
          {t('offline.back')}
        </a>
        <Heading title={t('page.title', { screen: heading, vendor: brand.display_name })}>{heading}</Heading>
        <p className="dim">{loaded.value.product.name}</p>
      </div>
      {activation === null ? (
        <RequestForm licenseId={licenseId} onCreated={setActivation} />
      ) : (
        <CertificateFile activation={activation} onAnother={() => setActivation(null)} />
      )}
    </div>
  );
}

interface RequestFormProps {
  readonly licenseId: string;
  readonly onCreated: (activation: OfflineActivation) => void;
}

function RequestForm({ licenseId, onCreated }: RequestFormProps) {
  const { t } = useLanguage();
  const { api } = usePortal();
  const [content, setContent] = useState('');
  const [fault, setFault] = useState<'missing' | 'large' | null>(null);
  const ids = { name: useId(), content: useId(), error: useId() };
  const [fileName, setFileName] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const activate = useAction(async () => onCreated(await api.activateOffline(licenseId, content.trim())));
  async function read({ target }: ChangeEvent<HTMLInputElement>): Promise<void> {
    const file = target.files?.[0];
    if (file === undefined) return;
    const isLarge = file.size > requestBytesMax;
    setFault(isLarge ? 'large' : null);
    activate.clear();
    setFileName(file.name);
    setContent(isLarge ? '' : await file.text());
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    const isEmpty = content.trim() === '';
    setFault(isEmpty ? 'missing' : null);
    if (isEmpty) field.current?.focus();
    else void activate.run();
  }
  return (
    <form className="card" noValidate onSubmit={submit}>
      <ol className="steps">
        <li>{t('offline.step1')}</li>
        <li>
          {t('offline.step2')}
          <div className="field">
            <span className="label" id={ids.name}>
              {t('offline.file')}
            </span>
            <label className="button file">
              <input
                type="file"
                className="hidden"
                aria-describedby={ids.name}
                onChange={(event) => void read(event)}
              />
              {fileName ?? t('offline.choose')}
            </label>
          </div>
          <div className="field">
            <label htmlFor={ids.content}>{t('offline.content')}</label>
            <textarea
              ref={field}
              id={ids.content}
              rows={5}
              spellCheck={false}
              value={content}
              maxLength={requestBytesMax}
              onChange={({ target }) => setContent(target.value)}
              aria-invalid={fault !== null}
              aria-describedby={fault === null ? undefined : ids.error}
            />
            {fault !== null && (
              <p className="error" id={ids.error}>
                {fault === 'missing' ? t('offline.missing') : t('offline.tooLarge')}
              </p>
            )}
          </div>
          <ProblemNotice problem={activate.problem} meanings={useMeanings()} />
          <button type="submit" className="primary" aria-busy={activate.isRunning}>
            {t('offline.submit')}
          </button>
        </li>
        <li>{t('offline.step3')}</li>
      </ol>
    </form>
  );
}

/** What the refusals of the service mean here. */
function useMeanings(): Readonly<Record<string, string>> {
  const { t } = useLanguage();
  return {
    'OFFLINE_REQUEST.INVALID': t('offline.invalid'),
    'VALIDATION.FAILED': t('offline.invalid'),
    'OFFLINE_REQUEST.OTHER_PRODUCT': t('offline.foreign'),
    'ACTIVATION.LIMIT_REACHED': t('offline.full'),
    'ACTIVATION.LIMIT_EXCEEDED': t('offline.full'),
    'LICENSE.REVOKED': t('offline.notUsable'),
    'LICENSE.SUSPENDED': t('offline.notUsable'),
    'LICENSE.NOT_STARTED': t('offline.notUsable'),
    'LICENSE.EXPIRED': t('offline.notUsable'),
  };
}

interface CertificateFileProps {
  readonly activation: OfflineActivation;
  readonly onAnother: () => void;
}

function CertificateFile({ activation, onAnother }: CertificateFileProps) {
  const { t, dateTime } = useLanguage();
  return (
    <section className="card">
      <Notice kind="good">{t('offline.done')}</Notice>
      <p>
        {t('offline.doneText')} {t('offline.valid', { date: dateTime(activation.expires_at) })}
      </p>
      <div className="actions start">
        <button type="button" className="primary" onClick={() => saveFile(activation.file, activation.file_name)}>
          {t('offline.download')}
        </button>
        <button type="button" onClick={onAnother}>
          {t('offline.another')}
        </button>
      </div>
    </section>
  );
}
