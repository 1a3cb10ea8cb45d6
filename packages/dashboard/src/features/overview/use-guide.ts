import { useEffect, useState } from 'react';
import type { Overview } from '../../api/overview.ts';

/**
 * Returns whether the guide to the first license is open, and a function that closes it. It is open until the first
 * validation, stays open afterwards so that the person sees the last tick, and opens again by link.
 */
export function useIsGuideOpen(steps: Overview['first_steps'], isAskedFor: boolean): readonly [boolean, () => void] {
  const [isOpen, setOpen] = useState(isAskedFor || !steps.validation);
  useEffect(() => {
    if (isAskedFor || !steps.validation) setOpen(true);
  }, [isAskedFor, steps.validation]);
  return [isOpen, () => setOpen(false)];
}
