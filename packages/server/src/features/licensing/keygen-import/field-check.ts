import { problemsOfFields } from '../licenses/import/schemas.ts';
import type { Note } from './finding.ts';
import { metadataOf, type Resource } from './resource.ts';

/** Returns the metadata of a resource and the entries of `more`; only `more` if both together are too large. */
export function checkedMetadata(
  resource: Resource,
  notes: Note[],
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const metadata = { ...metadataOf(resource), ...more };
  if (problemsOfFields({ metadata }).length === 0) return metadata;
  notes.push({
    outcome: 'left_out',
    field: 'metadata',
    message: 'The metadata have more than 64 keys, 16 KiB or 4 levels, so they were not imported.',
  });
  return { ...more };
}

/** Returns a display name of 1 to 100 characters, or `fallback` if there is none. */
export function displayName(text: string | null, fallback: string, notes: Note[]): string {
  const name = (text ?? '').trim();
  if (name === '') return fallback;
  if (name.length <= 100) return name;
  notes.push({ outcome: 'adjusted', field: 'name', message: 'The name was cut to 100 characters.' });
  return name.slice(0, 100).trim();
}

/** Returns a code of lower-case letters, digits and hyphens that no other resource has. */
export function uniqueCode(text: string, isTaken: (code: string) => boolean): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '');
  const base = words.slice(0, 56) || 'imported';
  const full = words.slice(0, 64) || base;
  if (!isTaken(full)) return full;
  let number = 2;
  while (isTaken(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
