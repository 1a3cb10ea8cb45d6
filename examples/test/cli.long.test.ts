import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { type Installation, install } from './support/running.ts';

let installation: Installation;
let file: string;

beforeAll(async () => {
  installation = await install('cli');
  file = join(inject('examples').folder, 'note.txt');
  await writeFile(file, 'if (1 < 2)\n');
  return installation.remove;
});

async function editor(...args: string[]) {
  const { code, output } = await (await installation.start({ args })).ended;
  return { code, output };
}

test('without a key, the tool says how to enter one', async () => {
  expect(await editor('export', file)).toEqual({
    code: 3,
    output: 'editor: This needs a license. Enter your key with `editor activate KEY`.\n',
  });
  expect(await editor('convert')).toMatchObject({ code: 2, output: expect.stringContaining('editor export FILE') });
});

test('a wrong key is refused and not kept', async () => {
  expect(await editor('activate', 'WRONG')).toEqual({
    code: 3,
    output: 'editor: No license has this key. Check it for typing errors.\n',
  });
  expect((await editor('license')).output).toContain('Enter your key');
});

test('a license without the entitlement does not export', async () => {
  const { key } = await installation.license('editor', []);
  expect(await editor('activate', key)).toEqual({ code: 0, output: 'Thank you. This machine is activated.\n' });
  expect(await editor('export', file)).toEqual({
    code: 4,
    output: 'editor: Your license does not include export.\n',
  });
});

test('a license exports, offline too, until it is revoked; the first run offline is refused', async () => {
  const { gate, management, license } = installation;
  const { id, key } = await license('editor', ['export'], { maxActivations: 1 });
  await gate.close();
  expect(await editor('activate', key)).toMatchObject({
    code: 3,
    output: expect.stringContaining('for the first time without a network'),
  });
  await gate.open();
  await editor('activate', key);
  const exported = { code: 0, output: '<pre>if (1 &lt; 2)</pre>\n' };
  expect(await editor('export', file)).toEqual(exported);
  await gate.close();
  expect(await editor('export', file)).toEqual(exported);
  expect((await editor('license')).output).toMatch(/^offline, without a network until 20.*Z\nincludes export\n$/);
  await gate.open();
  await management.licenses.revoke(id);
  const revoked = { code: 3, output: 'editor: Your license was revoked. Write to support@example.com.\n' };
  expect(await editor('export', file)).toEqual(revoked);
  await gate.close();
  expect(await editor('export', file), 'a restart offline does not undo it').toEqual(revoked);
  await gate.open();
});

test('`deactivate` frees the seat for another machine', async () => {
  const { management, license } = installation;
  const { id, key } = await license('editor', ['export'], { maxActivations: 1 });
  await editor('activate', key);
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  expect(await editor('deactivate')).toEqual({ code: 0, output: '' });
  expect((await management.licenses.get(id)).activationsCount).toBe(0);
  expect((await editor('license')).output).toContain('Enter your key');
});

test('a machine that gets no seat lists the others, releases one and takes its seat', async () => {
  const { license } = installation;
  const { key } = await license('editor', ['export'], { maxActivations: 1 });
  const other = await installation.activate(key, 'another machine', 'Office computer');
  expect(await editor('activate', key)).toMatchObject({ code: 3, output: expect.stringContaining('`editor devices`') });
  const listed = await editor('devices');
  expect(listed).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^[\w-]+ {2}Offi…, last used 20\d\d-\d\d-\d\d\n$/),
  });
  expect(listed.output).toContain(other);
  expect((await editor('devices', other)).output).toMatch(/, this machine\n$/);
  expect((await editor('license')).output).toMatch(/^licensed/);
});
