import { expect, test } from 'vitest';
import { checkoutIn, handleIn, pathOf, routeOf } from '../src/router.ts';

test.each([
  ['/portal/acme', { screen: 'licenses' }],
  ['/portal/acme/', { screen: 'licenses' }],
  ['/portal/acme/licenses/0199', { screen: 'license', licenseId: '0199' }],
  ['/portal/acme/licenses/0199/offline', { screen: 'offline', licenseId: '0199' }],
  ['/portal/acme/purchase', { screen: 'purchase' }],
  ['/portal/acme/purchase/1', { screen: 'unknown' }],
  ['/portal/acme/licenses', { screen: 'unknown' }],
  ['/portal/acme/licenses/0199/keys', { screen: 'unknown' }],
  ['/portal/acme/licenses/0199/offline/more', { screen: 'unknown' }],
  ['/portal/acme/%E0%A4%A', { screen: 'unknown' }],
] as const)('the path %s shows %j', (path, route) => {
  expect(routeOf(path)).toEqual(route);
  expect(handleIn(path)).toBe('acme');
});

test.each([
  ['/', { screen: 'licenses' }],
  ['/licenses/0199', { screen: 'license', licenseId: '0199' }],
  ['/licenses/0199/offline', { screen: 'offline', licenseId: '0199' }],
  ['/purchase', { screen: 'purchase' }],
  ['/licenses/0199/keys', { screen: 'unknown' }],
] as const)("at a vendor's own domain, where no path has a handle, %s shows %j and leads back", (path, route) => {
  expect(routeOf(path)).toEqual(route);
  expect(handleIn(path)).toBe('_');
  if (route.screen !== 'unknown') expect(pathOf('_', route)).toBe(path);
});

test('the path of a screen leads back to it, whatever its id is', () => {
  for (const screen of ['license', 'offline'] as const) {
    const route = { screen, licenseId: 'a/b?c' } as const;
    expect(routeOf(pathOf('acme', route))).toEqual(route);
  }
  expect(pathOf('acme', { screen: 'licenses' })).toBe('/portal/acme');
  expect(routeOf(pathOf('acme', { screen: 'purchase' }))).toEqual({ screen: 'purchase' });
});

test.each([
  ['?connection=1&id=a%2Fb', { connection: '1', id: 'a/b' }],
  ['?connection=1', null],
  ['?id=a&connection=', null],
  ['', null],
] as const)('the address of a purchase %j names the checkout %j', (search, checkout) => {
  expect(checkoutIn(search)).toEqual(checkout);
});
