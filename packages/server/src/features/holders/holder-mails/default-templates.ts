import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fr } from './texts/fr.ts';
import type { Templates } from './texts/shape.ts';

/**
 * The texts that tenants start with. A paragraph or a list item with a variable that has no value is left out, so a
 * text needs no conditions.
 */
export const defaultTemplates: Readonly<Record<MailLanguage, Templates>> = { en, de, fr };
