import { createContext } from 'react';

/** The drawer or the dialog around a form. */
interface FormFrame {
  /** Closes it. A drawer asks first if that would lose input. */
  readonly cancel: () => void;
  /** Closes it after the form was saved. */
  readonly close: () => void;
  /** Tells a drawer whether closing it would lose input. A dialog does not ask. */
  readonly onUnsaved?: (isUnsaved: boolean) => void;
}

/** What is around a form; null on a page. */
export const FormFrameContext = createContext<FormFrame | null>(null);
