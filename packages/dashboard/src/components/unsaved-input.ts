import { useEffect } from 'react';

const forms = new Set<symbol>();

/** Returns whether a form on the page holds input that is not saved. */
export function hasUnsavedInput(): boolean {
  return forms.size > 0;
}

/** Counts a form among those with unsaved input while it has some. */
export function useUnsavedInput(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const form = Symbol('form');
    forms.add(form);
    return () => {
      forms.delete(form);
    };
  }, [isUnsaved]);
}
