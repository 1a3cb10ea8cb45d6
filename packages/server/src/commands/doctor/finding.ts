/** What a check found. `advice` says what to do. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly text: string;
  readonly advice?: string;
}

/** All is well. */
export function ok(text: string): Finding {
  return { level: 'ok', text };
}

/** The service works, but somebody should look at this. */
export function warning(text: string, advice: string): Finding {
  return { level: 'warning', text, advice };
}

/** The service does not start or does not work properly. */
export function problem(text: string, advice?: string): Finding {
  return { level: 'problem', text, ...(advice !== undefined && { advice }) };
}
