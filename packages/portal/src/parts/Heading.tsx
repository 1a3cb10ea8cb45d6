import { type ReactNode, useEffect, useRef } from 'react';

/** The first screen keeps the focus where the browser puts it. */
let isFirstScreen = true;

interface HeadingProps {
  readonly children: ReactNode;
  /** The name of the page in the browser's tabs. */
  readonly title: string;
}

/** The heading of a screen. It receives the focus when the screen replaces another one, so that screen readers announce it. */
export function Heading({ children, title }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    // A field of the screen may have asked for the focus already.
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (!isFirstScreen && (isFree || !document.activeElement?.closest('main'))) heading.current?.focus();
    isFirstScreen = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
