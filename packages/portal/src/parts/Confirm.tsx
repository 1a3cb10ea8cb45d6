import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useLanguage } from '../language/Language.tsx';

interface ConfirmProps {
  readonly title: string;
  /** The name of the action, on its button. */
  readonly action: string;
  readonly isRunning: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog that asks before an action. The browser keeps the focus in it, closes it with Escape, and returns the focus. */
export function Confirm({ title, action, isRunning, onConfirm, onClose, children }: ConfirmProps) {
  const { t } = useLanguage();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The browser returns the focus only from a dialog that closes before it is removed.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // The browser tells of a close after the keys that follow Escape, so those could ask for a dialog that is not drawn.
    <dialog ref={dialog} aria-labelledby={titleId} onCancel={onClose} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t('page.cancel')}
        </button>
        <button type="button" className="danger" aria-busy={isRunning} onClick={onConfirm}>
          {action}
        </button>
      </div>
    </dialog>
  );
}
