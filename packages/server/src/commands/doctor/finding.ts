/** The result of one check. `advice` states what the operator must do. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly text: string;
  readonly advice?: string;
}

/** Returns a finding without a problem. */
export function ok(text: string): Finding {
  return { level: 'ok', text };
}

/** Returns a finding that the operator should look at although the service works. */
export function warning(text: string, advice?: string): Finding {
  return { level: 'warning', text, ...(advice !== undefined && { advice }) };
}

/** Returns a finding that prevents the service from starting or working properly. */
export function problem(text: string, advice?: string): Finding {
  return { level: 'problem', text, ...(advice !== undefined && { advice }) };
}
