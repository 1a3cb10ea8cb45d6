import { type FuzzedRequest, wireBytes } from './wire.ts';

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Writes control characters and other unprintable ones as escapes, for `$'…'` of a shell. */
function escaped(text: string): string {
  const escapes = [...text].map((character) => {
    if (/[\\']/.test(character)) return `\\${character}`;
    if (/[ -~]/.test(character)) return character;
    return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
  return `$'${escapes.join('')}'`;
}

const isPlain = (text: string) => /^[ -~]*$/.test(text);

/** Returns a command line that sends a request to a service at the default address. */
export function toCommandLine(request: FuzzedRequest): string {
  const { method, url, headers, payload, wire } = request;
  if (wire !== undefined) return `printf %s ${escaped(wireBytes(request, wire, '198.18.0.1'))} | nc 127.0.0.1 3000`;
  const sent = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const body = payload === undefined ? [] : [`--data-binary ${isPlain(payload) ? quoted(payload) : escaped(payload)}`];
  return ['curl --path-as-is -X', method, ...sent, ...body, quoted(`http://127.0.0.1:3000${url}`)].join(' ');
}
