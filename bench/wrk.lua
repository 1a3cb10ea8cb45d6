-- Sends the requests of a file in turn. The file contains complete requests, separated by zero bytes.

local requests = {}
local position = 0

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for text in (file:read("*a") .. "\0"):gmatch("([^%z]*)%z") do
    requests[#requests + 1] = text
  end
  file:close()
end

function request()
  position = position % #requests + 1
  return requests[position]
end

-- Global, so that `done` can read it.
unexpected = 0

function response(status)
  if status ~= 200 then unexpected = unexpected + 1 end
end

-- The script of a thread and the one that runs `done` have separate variables.
local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function done(summary, latency)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.timeout
  for _, thread in ipairs(threads) do failures = failures + thread:get("unexpected") end
  local line = '{"requests":%d,"micros":%d,"p99Micros":%d,"failures":%d}'
  print(string.format(line, summary.requests, summary.duration, latency:percentile(99), failures))
end
