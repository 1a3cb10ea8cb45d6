import { performance } from 'node:perf_hooks';

/** The number of a poll of the event loop. A later poll has a greater number. */
export type PollNumber = number;

/**
 * Returns the number of the poll whose events the event loop handles now. A poll asks the system which sockets have
 * something to read, and returns up to 1,024 of them. So whatever is then read from one of them began to arrive before
 * the poll ended, and any state that is read while its number is current is newer than that.
 *
 * libuv adds one to `loopCount` before the first poll of an iteration, and adds the number of the events of each poll to
 * `events` after it has handled them (https://docs.libuv.org/en/v1.x/metrics.html). An iteration with more than one poll
 * therefore has a number for each of them.
 */
export function currentPoll(): PollNumber {
  const { loopCount, events } = performance.nodeTiming.uvMetricsInfo;
  return loopCount + events;
}
