import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTxtResolver } from './txt-records.ts';

/** The strings of the TXT records of each name; a number is the code of a failure (RFC 1035, section 4.1.1). */
const zone: Readonly<Record<string, readonly (readonly string[])[] | number>> = {
  'proved.example': [['license-portal=', 'abc'], ['other']],
  'empty.example': [],
  'unknown.example': 3,
  'broken.example': 2,
};

let server: Socket;

/** Returns the response of a name server to a query with one question. */
function responseTo(query: Buffer): Buffer {
  const labels: string[] = [];
  let end = 12;
  for (let length = query.readUInt8(end); length > 0; length = query.readUInt8(end)) {
    labels.push(query.toString('latin1', end + 1, end + 1 + length));
    end += 1 + length;
  }
  const question = query.subarray(12, end + 5);
  const found = zone[labels.join('.')] ?? 3;
  const records = (typeof found === 'number' ? [] : found).map((strings) => {
    const data = Buffer.concat(strings.map((text) => Buffer.from(String.fromCharCode(text.length) + text, 'latin1')));
    // A pointer to the name of the question, type TXT, class IN, 60 seconds.
    const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255]);
    return Buffer.concat([head, data]);
  });
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port, address }) => server.send(responseTo(query), port, address));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

test.each([
  ['the strings of a record are joined', 'proved.example', ['license-portal=abc', 'other']],
  ['a name without such a record has none', 'empty.example', []],
  ['an unknown name has none', 'unknown.example', []],
])('%s', async (_title, name, records) => {
  const resolve = createTxtResolver([`127.0.0.1:${server.address().port}`]);
  expect(await resolve(name)).toEqual(records);
});

test('a name server that fails is an error, and no missing record', async () => {
  const resolve = createTxtResolver([`127.0.0.1:${server.address().port}`]);
  await expect(resolve('broken.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
});
