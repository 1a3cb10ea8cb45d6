import { Tooltip } from '@mantine/core';
import { useTimeout, useWindowEvent } from '@mantine/hooks';
import { type FocusEvent, type ReactNode, type RefObject, useRef, useState } from 'react';

const openDelayMs = 300;

/**
 * Returns the attributes of an element that a tooltip explains, and the tooltip, which exists only while somebody points at
 * the element or focuses it with the keyboard. A list has a hundred such elements: their tooltips took a third of the time
 * of its rendering.
 */
export function useHoverTooltip<Target extends HTMLElement>(label: () => ReactNode) {
  const ref = useRef<Target>(null);
  const [isOpen, setOpen] = useState(false);
  const { start, clear } = useTimeout(() => setOpen(true), openDelayMs);
  const close = () => {
    clear();
    setOpen(false);
  };
  // A click focuses the element too, and its tooltip would stay when the pointer has left.
  const onFocus = ({ currentTarget }: FocusEvent) => currentTarget.matches(':focus-visible') && start();
  const target = { ref, onMouseEnter: start, onMouseLeave: close, onFocus, onBlur: close };
  return [
    target,
    isOpen && (
      <OpenTooltip target={ref} onClose={close}>
        {label()}
      </OpenTooltip>
    ),
  ] as const;
}

interface OpenTooltipProps {
  readonly target: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function OpenTooltip({ target, onClose, children }: OpenTooltipProps) {
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && onClose());
  return <Tooltip opened multiline target={target} label={children} />;
}
