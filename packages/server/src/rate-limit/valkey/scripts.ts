import { createHash } from 'node:crypto';

/** A Lua script that Valkey runs as one step, and the name under which it keeps it. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

function script(body: string): Script {
  const source = `${moment}\n${body.trim()}`;
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

/**
 * Milliseconds since the Unix epoch: Valkey's own, so that nodes whose clocks differ see one window; or the given ones,
 * where somebody else owns the time.
 */
const moment = `
local function moment(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`.trim();

/**
 * Counts a hit on each of KEYS in turn, up to the first that is refused. ARGV: the moment, then for each key the length
 * of its window in ms, its limit, the hits that were counted elsewhere meanwhile, and in how many ms the window of those
 * ends. Answers for each key that was counted its hits and in how many ms its window ends.
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

/** The hits of the window KEYS[1] and in how many ms it ends; nothing where none is open. ARGV: the moment. */
export const openWindowScript = script(`
local now = moment(ARGV[1])
local window = redis.call('HMGET', KEYS[1], 'hits', 'ends')
local hits, ends = tonumber(window[1]), tonumber(window[2])
if not ends or ends <= now then return {} end
return { hits, ends - now }`);

/** Takes one hit back from the window KEYS[1], if it is open and has one. ARGV: the moment. */
export const refundScript = script(`
local now = moment(ARGV[1])
local window = redis.call('HMGET', KEYS[1], 'hits', 'ends')
local hits, ends = tonumber(window[1]), tonumber(window[2])
if ends and ends > now and hits > 0 then redis.call('HINCRBY', KEYS[1], 'hits', -1) end`);

/** Opens the window KEYS[1] anew with all its hits used. ARGV: the moment, its length in ms, its limit. */
export const blockScript = script(`
redis.call('HSET', KEYS[1], 'hits', ARGV[3], 'ends', moment(ARGV[1]) + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

/**
 * Says that a node lives, and answers how many do. KEYS[1]: the set of nodes. ARGV: the moment, the node's id, after
 * how many ms of silence a node is gone.
 */
export const heartbeatScript = script(`
local now = moment(ARGV[1])
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('ZCARD', KEYS[1])`);

export const allScripts: readonly Script[] = [
  consumeScript,
  openWindowScript,
  refundScript,
  blockScript,
  heartbeatScript,
];

/** The command that runs a script which Valkey was given before. */
export function evaluate({ sha1 }: Script, keys: readonly string[], args: readonly string[]): string[] {
  return ['EVALSHA', sha1, String(keys.length), ...keys, ...args];
}
