import { Envelope, success } from '../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../http/user-route.ts';
import { AccountView } from './schemas.ts';

const tags = ['Account'] as const;

/** What a user may see and change of the own account. */
export function accountRoutes(): UserRoute[] {
  return [
    userRoute({
      method: 'GET',
      url: '/account',
      schema: { summary: 'Read your account', tags, response: { 200: Envelope(AccountView) } },
      handler: ({ request, user }) => success(request, user),
    }),
  ];
}
