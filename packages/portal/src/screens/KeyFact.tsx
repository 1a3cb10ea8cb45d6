import { useState } from 'react';
import { useLanguage } from '../language/Language.tsx';
import { Confirm } from '../parts/Confirm.tsx';
import { CopyButton, CopyNotice, useCopy } from '../parts/Copy.tsx';
import { Notice, ProblemNotice } from '../parts/Notice.tsx';
import { usePortal } from '../portal-context.ts';
import type { PortalLicense } from '../shapes.ts';
import { useAction } from '../use-load.ts';

/** The license key: masked until it is shown, with a button that copies it. */
export function KeyFact({ license }: { readonly license: PortalLicense }) {
  const { t } = useLanguage();
  const { api } = usePortal();
  const [key, setKey] = useState<string | null>(null);
  const load = async () => key ?? (await api.loadKey(license.id)).key;
  const show = useAction(async () => setKey(await load()));
  const copying = useCopy(load);
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
            <CopyButton copying={copying} label={t('key.copy')} name={t('key.copyName')} />
          </span>
        </div>
        <CopyNotice copying={copying} />
        <ProblemNotice problem={show.problem ?? copying.action.problem} />
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
