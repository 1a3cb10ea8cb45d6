import { fastify } from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { AppError } from '../lib/error.ts';
import { maxFormFields, parseForm } from './form-text.ts';
import { acceptForms, useJsonBodies } from './json-parser.ts';

const app = fastify();
useJsonBodies(app);
acceptForms(app);
app.setErrorHandler((error, _request, reply) => {
  const { status, code } = error as AppError;
  reply.code(error instanceof AppError ? status : 500).send({ code });
});
app.post('/', (request) => request.body);
afterAll(() => app.close());

const post = async (payload: string) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/', headers, payload });
  return [statusCode, JSON.parse(body)];
};

it('a form with more fields than allowed is a 400, and the most fields are read', async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=${index}`).join('&');
  expect(await post(fields(maxFormFields + 1))).toEqual([400, { code: 'REQUEST.MALFORMED' }]);
  expect(await post('a&'.repeat(8 * 1024))).toEqual([400, { code: 'REQUEST.MALFORMED' }]);
  const [status, read] = await post(fields(maxFormFields));
  expect([status, Object.keys(read).length, read.f199]).toEqual([200, maxFormFields, '199']);
});

it('brackets in the name of a field nest nothing, however many there are', async () => {
  const name = `a${'[b]'.repeat(5_000)}`;
  expect(await post(`${name}=1&a[]=2&a[b]=3&a=4&a=5`)).toEqual([200, { [name]: '1', 'a[]': '2', 'a[b]': '3', a: '5' }]);
});

it('a form above the number of fields is not parsed', () => {
  expect(parseForm('&'.repeat(maxFormFields))).toBeUndefined();
  expect(parseForm('&'.repeat(maxFormFields - 1))).toBeDefined();
});
