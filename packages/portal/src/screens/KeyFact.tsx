import { useEffect, useState } from 'react';
import { useLanguage } from '../language/Language.tsx';
import { Confirm } from '../parts/Confirm.tsx';
import { Notice, ProblemNotice } from '../parts/Notice.tsx';
import { usePortal } from '../portal-context.ts';
import type { PortalLicense } from '../shapes.ts';
import { useAction } from '../use-load.ts';

const copiedForMs = 3_000;

/** The license key: masked until it is shown, with a button that copies it. */
export function KeyFact({ license }: { readonly license: PortalLicense }) {
  const { t } = useLanguage();
  const { api } = usePortal();
  const [key, setKey] = useState<string | null>(null);
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no');
  useEffect(() => {
    if (copied !== 'yes') return;
    const timer = setTimeout(() => setCopied('no'), copiedForMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const load = async () => key ?? (await api.loadKey(license.id)).key;
  const show = useAction(async () => setKey(await load()));
  const copy = useAction(async () => {
    const text = await load();
    try {
      await navigator.clipboard.writeText(text);
      setCopied('yes');
    } catch {
      setCopied('failed');
    }
  });
  return (
    <div>
      <dt>{t('facts.key')}</dt>
      <dd>
        <div className="key">
          <code>{key ?? license.key_hint}</code>
          <span className="actions">
            {key === null ? (
              <button
                type="button"
                className="small"
                aria-label={t('key.showName')}
                aria-busy={show.isRunning}
                onClick={() => void show.run()}
              >
                {t('key.show')}
              </button>
            ) : (
              <button type="button" className="small" aria-label={t('key.hideName')} onClick={() => setKey(null)}>
                {t('key.hide')}
              </button>
            )}
            <button
              type="button"
              className="small"
              aria-label={t('key.copyName')}
              aria-busy={copy.isRunning}
              onClick={() => void copy.run()}
            >
              {copied === 'yes' ? t('key.copied') : t('key.copy')}
            </button>
          </span>
        </div>
        <span className="hidden" role="status">
          {copied === 'yes' && t('key.copied')}
        </span>
        {copied === 'failed' && <Notice kind="bad">{t('key.copyFailed')}</Notice>}
        <ProblemNotice problem={show.problem ?? copy.problem} />
      </dd>
    </div>
  );
}

/** Replaces the key after a question. */
export function ReplaceKey({
  license,
  onReplaced,
}: {
  readonly license: PortalLicense;
  readonly onReplaced: () => Promise<void>;
}) {
  const { t } = useLanguage();
  const { api } = usePortal();
  const [isAsking, setAsking] = useState(false);
  const [isDone, setDone] = useState(false);
  const replace = useAction(async () => {
    try {
      await api.replaceKey(license.id);
      setDone(true);
    } finally {
      setAsking(false);
    }
    await onReplaced();
  });
  return (
    <div className="part with-action">
      <div>
        <h3>{t('replace.heading')}</h3>
        <p className="dim">{t('replace.intro')}</p>
        {isDone && <Notice kind="good">{t('replace.done')}</Notice>}
        <ProblemNotice problem={replace.problem} />
      </div>
      <button type="button" onClick={() => setAsking(true)}>
        {t('replace.open')}
      </button>
      {isAsking && (
        <Confirm
          title={t('replace.confirmHeading')}
          action={t('replace.open')}
          isRunning={replace.isRunning}
          onConfirm={() => void replace.run()}
          onClose={() => setAsking(false)}
        >
          <p>{t('replace.confirmText')}</p>
        </Confirm>
      )}
    </div>
  );
}
