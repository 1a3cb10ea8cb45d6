import type { IncomingMessage } from 'node:http';
import { currentPoll, type PollNumber } from '../lib/event-loop-poll.ts';

/** What is known of a connection. */
interface Connection {
  /** The last request of which the head was read; null once it was read completely. */
  request: IncomingMessage | null;
  /** The poll in which `request` began to arrive; undefined: unknown. */
  arrivedIn: PollNumber | undefined;
  /** A poll before whose end all of `request` was read; undefined: some of it may still be unread. */
  completeIn: PollNumber | undefined;
}

const connection = Symbol('connection');

declare module 'node:net' {
  interface Socket {
    [connection]?: Connection;
  }
}

/** Remembers when a request began to arrive. Call it when the head of the request has been read, before any work. */
export function noteArrival(request: IncomingMessage): void {
  const { socket } = request;
  const known = socket[connection];
  if (known === undefined) {
    socket[connection] = { request, arrivedIn: undefined, completeIn: undefined };
    return;
  }
  const poll = currentPoll();
  // The poll found something unread on this connection. If all of the request before had been read in an earlier poll,
  // that was the beginning of this request. Otherwise it may have been the rest of the request before, and this one may
  // have been sent after the poll.
  known.arrivedIn = known.completeIn !== undefined && known.completeIn < poll ? poll : undefined;
  known.completeIn = undefined;
  known.request = request;
}

/** Remembers that a request was read completely, if it was. Call it after the response. */
export function noteCompletion(request: IncomingMessage): void {
  const known = request.socket[connection];
  if (known?.request !== request || !request.complete) return;
  known.completeIn = currentPoll();
  known.request = null;
}

/**
 * Returns the poll of the event loop in which a request began to arrive: its caller sent it before that poll ended, so
 * a state that was read in or after that poll is no older than the request. Undefined if that is not certain.
 */
export function arrivalOf(request: IncomingMessage): PollNumber | undefined {
  const known = request.socket[connection];
  return known?.request === request ? known.arrivedIn : undefined;
}
