import { describe, expect, test } from 'vitest';
import { createAddressPolicy } from './public-addresses.ts';
import { checkPublicUrl } from './public-url.ts';

const strict = { allowHttp: false, addresses: createAddressPolicy([]) };

describe('the URL of an endpoint', () => {
  test.each([
    ['https://example.com/hooks?tenant=1', 'https://example.com/hooks?tenant=1'],
    ['HTTPS://EXAMPLE.com', 'https://example.com/'],
    ['https://bücher.example:8443/a b', 'https://xn--bcher-kva.example:8443/a%20b'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  ])('the URL %s is stored as %s', (text, url) => expect(checkPublicUrl(text, strict)).toEqual({ url }));

  test.each([
    ['http://example.com/', /https/],
    ['ftp://example.com/', /https/],
    ['javascript:alert(1)', /https/],
    ['https://', /URL/],
    ['nonsense', /URL/],
    ['https://user@example.com/', /user name/],
    ['https://:secret@example.com/', /password/],
    ['https://example.com/#part', /after #/],
    ['https://example.com/#', /after #/],
    [`https://example.com/${'a'.repeat(2048)}`, /2048/],
    [`https://example.com/${'ü'.repeat(400)}`, /2048/],
    ['https://10.0.0.1/', /public/],
    ['https://2130706433/', /public/],
    ['https://0x7f000001/', /public/],
    ['https://0177.1/', /public/],
    ['https://127.1/', /public/],
    ['https://0/', /public/],
    ['https://１２７.0.0.1/', /public/],
    ['https://127.0.0.1./', /public/],
    ['https://[::]/', /public/],
    ['https://[::ffff:10.0.0.1]/', /public/],
    ['https://[64:ff9b::a00:1]/', /public/],
    ['https://[2002:a00:1::]/', /public/],
    ['https://[fe80::1]/', /public/],
    ['https://169.254.169.254/', /public/],
    ['https://localhost/', /public/],
    ['https://app.localhost./', /public/],
    ['https://[fe80::1%25eth0]/', /URL/],
  ])('the URL %s is refused', (text, problem) => {
    expect(checkPublicUrl(text, strict)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test('a URL with http or a private address is accepted if the operator allows it', () => {
    const rules = { allowHttp: true, addresses: createAddressPolicy(['127.0.0.0/8']) };
    expect(checkPublicUrl('http://127.1:4000/', rules)).toEqual({ url: 'http://127.0.0.1:4000/' });
    expect(checkPublicUrl('http://localhost:4000/', rules)).toEqual({ url: 'http://localhost:4000/' });
    expect(checkPublicUrl('http://10.0.0.1/', rules)).toHaveProperty('problem');
  });
});
