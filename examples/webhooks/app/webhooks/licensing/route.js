// The route handler of Next.js.
import { webhookHandler } from '@licensing/sdk/webhooks';
import { options } from '../../../on-event.js';

export const POST = webhookHandler(options);
