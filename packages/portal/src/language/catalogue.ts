import type { en } from './en.ts';

/** The name of a text. */
export type MessageKey = keyof typeof en;

/** The texts of one language. The compiler and a test compare them with the English ones. */
export type Catalogue = Readonly<Record<MessageKey, string>>;

/** The names in braces of a text. */
type Placeholder<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest> : never;

/** The values that a text needs, as arguments. */
export type ValuesOf<Key extends MessageKey> = [Placeholder<(typeof en)[Key]>] extends [never]
  ? readonly []
  : readonly [{ readonly [Name in Placeholder<(typeof en)[Key]>]: string }];

/** The name of a text that depends on a number: `devices.left` for `devices.left_one` and `devices.left_other`. */
export type CountedKey = MessageKey extends infer Key ? (Key extends `${infer Base}_other` ? Base : never) : never;

/** The other values of a counted text, besides the number itself. */
export type CountedValues<Key extends CountedKey> =
  Exclude<Placeholder<(typeof en)[`${Key}_other`]>, 'count'> extends infer Name extends string
    ? [Name] extends [never]
      ? readonly []
      : readonly [{ readonly [Each in Name]: string }]
    : never;

/** Puts values into the braces of a text. */
export function fill(text: string, values: Readonly<Record<string, string>> = {}): string {
  return text.replaceAll(/\{(\w+)\}/g, (braces, name: string) => values[name] ?? braces);
}
