import type { HolderMailType } from '../../../tenant-core/holder-mail-queue/holder-mail.ts';

/** The text of a mail: a subject with variables, and a body in Markdown with variables. */
export interface Template {
  readonly subject: string;
  readonly body: string;
}

/** The texts of all types in one language. */
export type Templates = Readonly<Record<HolderMailType, Template>>;

/** Joins paragraphs. */
export function body(...paragraphs: readonly string[]): string {
  return paragraphs.join('\n\n');
}
