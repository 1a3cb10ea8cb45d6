/** A text that makes careless code slow: `make` returns it with about so many characters. */
export interface HostileText {
  readonly title: string;
  readonly make: (length: number) => string;
}

const repeated = (piece: string, title: string = JSON.stringify(piece)): HostileText => ({
  title: `${title}, repeated`,
  make: (length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length),
});

const nested = (open: string, close: string): HostileText => ({
  title: `${open} … ${close}, nested`,
  make(length) {
    const levels = Math.floor(length / (open.length + close.length));
    return open.repeat(levels) + close.repeat(levels);
  },
});

/** A long run between a start and an end, which a search from each place of the run reads to its end. */
const run = (start: string, piece: string, end: string): HostileText => ({
  title: `${JSON.stringify(start)}, ${JSON.stringify(piece)} repeated, ${JSON.stringify(end)}`,
  make(length) {
    const count = Math.max(1, Math.floor((length - start.length - end.length) / piece.length));
    return start + piece.repeat(count) + end;
  },
});

const numbered = (piece: (index: number) => string, title: string): HostileText => ({
  title,
  make(length) {
    const parts: string[] = [];
    for (let size = 0, index = 0; size < length; index += 1) {
      const part = piece(index);
      parts.push(part);
      size += part.length;
    }
    return parts.join('').slice(0, length);
  },
});

const specialCharacters = [
  ...' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  '\t',
  '\n',
  'é',
  'ß',
  'İ',
  '\u0301',
  '\u202e',
  '💥',
];

/** Texts that were slow for some parser, pattern or search. Their length is that of the field in which they are sent. */
export const hostileTexts: readonly HostileText[] = [
  ...specialCharacters.map((character) => repeated(character)),
  ...['a', '0', 'A1', 'a ', 'a\n', 'a.', 'a@', 'a,', 'a-', '%20', '%f0', '\r\n', ' \n'].map((piece) => repeated(piece)),
  nested('{{', '}}'),
  nested('[', ']'),
  nested('{"a":', '}'),
  nested('(', ')'),
  nested('<b>', '</b>'),
  nested('![', '](a)'),
  nested('**a ', '**'),
  repeated('{{ '),
  repeated('{{a}} '),
  repeated('`` ` '),
  repeated('* _ '),
  repeated('> - '),
  repeated('[a](b '),
  repeated('<!-- '),
  repeated('<a href="'),
  repeated('&amp'),
  repeated('\\u0000'),
  repeated('a&'),
  repeated('a[b]='),
  repeated('a=b&', 'form fields'),
  repeated('"",', 'cells'),
  repeated('eyJ.', 'parts of a token'),
  numbered((index) => `f${index}&`, 'different form fields'),
  numbered((index) => `${index} `, 'different words'),
  numbered((index) => `{"f${index}":`, 'different names, nested'),
  run('{{', ' ', 'a'),
  run('a', ' ', 'a'),
  run('a', '\t', 'a'),
  run(' ', '\n', 'a'),
  run('', '0', '1'),
  run('1.', '0', '1e5'),
  run('a@', 'a.', ''),
  run('', 'a', '@'),
  run('', 'a', '!'),
  run('a; charset=', ' ', '"'),
  run('en;q=', '0', ',*'),
  run('Bearer', ' ', '.'),
  run('=?utf-8?q?', '=20', '?='),
  run('https://', 'a.', '/'),
  run('-----BEGIN ', '-', '\n'),
];

/** The texts that most slow code is slow for: many letters or spaces that something ends, and letters that a pattern accepts. */
export const worstTexts: readonly HostileText[] = [run('', 'a', '!'), run('a', ' ', 'a'), repeated('a')];
