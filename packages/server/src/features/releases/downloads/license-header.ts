import type { FastifyRequest } from 'fastify';
import { singleHeader } from '../../../http/headers.ts';
import { AppError } from '../../../lib/error.ts';

/** Returns the license key in the header of an updater. Throws 422 `LICENSE.KEY_REQUIRED` without exactly one. */
export function licenseKeyOf({ raw }: Pick<FastifyRequest, 'raw'>): string {
  const key = singleHeader({ raw } as FastifyRequest, 'x-license-key');
  if (typeof key === 'string' && key !== '') return key;
  throw new AppError('LICENSE.KEY_REQUIRED', 'Send the license key once, in the header X-License-Key.');
}
