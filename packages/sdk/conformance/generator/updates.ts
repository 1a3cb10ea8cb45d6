import { create, fails, is, networkFails, networkWorks, sequence, start, started } from './sequence.ts';

const check = { step: 'check_for_update', current_version: '1.0.0' } as const;
const current = { step: 'check_for_update', current_version: '2.0.0' } as const;

/** A check for updates returns why there is no answer, and changes no state. */
export const updates = [
  sequence('an update is found, and the newest version has none', [...started, check, current]),
  sequence('an update is found in another channel', [...started, { ...current, channel: 'beta' }]),
  sequence('an update is found before the start', [create(), check]),
  sequence('a license that is not usable gets no update', [is('LICENSE.EXPIRED'), ...started, check]),
  sequence('a check for updates without a license key', [create({ license_key: '' }), check]),
  sequence('the key of a trial is used to find updates', [
    ...[create({ license_key: '' }), start, { step: 'start_trial' } as const, check],
  ]),
  sequence('a check for updates needs a product', [create({ product: null }), check]),
  sequence('a check for updates without a network is no error', [...started, networkFails, check, networkWorks, check]),
  sequence('a check for updates that the service cannot answer is no error', [
    ...started,
    fails(503, 'SERVICE.UNAVAILABLE'),
    check,
  ]),
];
