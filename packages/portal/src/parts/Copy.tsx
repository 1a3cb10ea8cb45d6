import { useEffect, useState } from 'react';
import { useLanguage } from '../language/Language.tsx';
import { type Action, useAction } from '../use-load.ts';
import { Notice } from './Notice.tsx';

const copiedForMs = 3_000;

/** A text that the person can copy. */
export interface Copying {
  readonly state: 'no' | 'yes' | 'failed';
  readonly action: Action<[]>;
}

/** Copies a text, which may have to be loaded first, and says for a moment that it did. */
export function useCopy(load: () => Promise<string>): Copying {
  const [state, setState] = useState<Copying['state']>('no');
  useEffect(() => {
    if (state !== 'yes') return;
    const timer = setTimeout(() => setState('no'), copiedForMs);
    return () => clearTimeout(timer);
  }, [state]);
  const action = useAction(async () => {
    const text = await load();
    try {
      await navigator.clipboard.writeText(text);
      setState('yes');
    } catch {
      setState('failed');
    }
  });
  return { state, action };
}

interface CopyButtonProps {
  readonly copying: Copying;
  readonly label: string;
  /** What it copies, for readers of the screen. */
  readonly name: string;
  /** It is what the screen is about. */
  readonly isPrimary?: boolean;
}

/** The button that copies. */
export function CopyButton({ copying: { state, action }, label, name, isPrimary = false }: CopyButtonProps) {
  const { t } = useLanguage();
  return (
    <button
      type="button"
      className={isPrimary ? 'small primary' : 'small'}
      aria-label={name}
      aria-busy={action.isRunning}
      onClick={() => void action.run()}
    >
      {state === 'yes' ? t('key.copied') : label}
    </button>
  );
}

/** Says that the text was copied, or that the browser does not allow it. */
export function CopyNotice({ copying: { state } }: Pick<CopyButtonProps, 'copying'>) {
  const { t } = useLanguage();
  return (
    <>
      <span className="hidden" role="status">
        {state === 'yes' && t('key.copied')}
      </span>
      {state === 'failed' && <Notice kind="bad">{t('key.copyFailed')}</Notice>}
    </>
  );
}
