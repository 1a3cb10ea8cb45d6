import { createHash } from 'node:crypto';

/** A Lua script, which Valkey runs atomically, and the SHA-1 under which Valkey caches it. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

function script(body: string): Script {
  const source = `${moment}\n${body.trim()}`;
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

/**
 * A Lua function that returns the current time in milliseconds since the Unix epoch. It uses Valkey's clock, so that
 * nodes with different clocks share one window, unless a test passes its own time.
 */
const moment = `
local function moment(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`.trim();

/**
 * Counts a hit on each of KEYS in order and stops after the first refused one. ARGV: the time; then for each key its
 * window length in ms, its limit, the hits that the node counted during an outage, and the ms until the end of the
 * window of those hits. Returns, for each counted key, its hits and the ms until its window ends.
 */
export const consumeScript = script(`
local now = moment(ARGV[1])
local answer = {}
for index, key in ipairs(KEYS) do
  local at = index * 4 - 2
  local limit, missed = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local window = redis.call('HMGET', key, 'hits', 'ends')
  local hits, ends = tonumber(window[1]), tonumber(window[2])
  if ends and ends > now then
    hits = redis.call('HINCRBY', key, 'hits', 1 + missed)
  else
    hits = 1 + missed
    local left = tonumber(ARGV[missed > 0 and at + 3 or at])
    ends = now + left
    redis.call('HSET', key, 'hits', hits, 'ends', ends)
    redis.call('PEXPIRE', key, left)
  end
  answer[#answer + 1] = hits
  answer[#answer + 1] = ends - now
  if hits > limit then break end
end
return answer`);

/** Returns the hits of the window KEYS[1] and the ms until it ends; an empty list when none is open. ARGV: the time. */
export const openWindowScript = script(`
local now = moment(ARGV[1])
local window = redis.call('HMGET', KEYS[1], 'hits', 'ends')
local hits, ends = tonumber(window[1]), tonumber(window[2])
if not ends or ends <= now then return {} end
return { hits, ends - now }`);

/** Takes back one hit of the window KEYS[1] if it is open and has a hit. ARGV: the time. */
export const refundScript = script(`
local now = moment(ARGV[1])
local window = redis.call('HMGET', KEYS[1], 'hits', 'ends')
local hits, ends = tonumber(window[1]), tonumber(window[2])
if ends and ends > now and hits > 0 then redis.call('HINCRBY', KEYS[1], 'hits', -1) end`);

/** Restarts the window KEYS[1] with all its hits used. ARGV: the time, the window's length in ms, its limit. */
export const blockScript = script(`
redis.call('HSET', KEYS[1], 'hits', ARGV[3], 'ends', moment(ARGV[1]) + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

/**
 * Records a node's heartbeat and returns the number of live nodes. KEYS[1]: the set of nodes. ARGV: the time, the
 * node's id, the ms without a heartbeat after which a node is removed.
 */
export const heartbeatScript = script(`
local now = moment(ARGV[1])
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('ZCARD', KEYS[1])`);

/** All scripts, which each new connection loads. */
export const allScripts: readonly Script[] = [
  consumeScript,
  openWindowScript,
  refundScript,
  blockScript,
  heartbeatScript,
];

/** Returns the command that runs a loaded script. */
export function evaluate({ sha1 }: Script, keys: readonly string[], args: readonly string[]): string[] {
  return ['EVALSHA', sha1, String(keys.length), ...keys, ...args];
}
