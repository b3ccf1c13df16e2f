-- Counts a request in the minute window of its key family unless that is full, in one atomic step.
--
-- A call that is counted runs every command, so one shows whether a user may count here.
-- KEYS[1]  the window: the times of the counted requests, oldest first, in microseconds by the clock of this store, so
--          that all servers measure with one clock
-- ARGV[1]  the limit
-- Returns  1 if the request is counted, else 0; how many the window holds; the microseconds until the oldest of them
--          leaves, or, after the limit was lowered, until enough of them have left; and the time
local MINUTE = 60000000
-- How long a window is kept after its last request: longer than a minute, because a key expires by a clock of milliseconds.
local KEPT_MILLIS = 61000
local window, limit = KEYS[1], tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function at(index)
  return tonumber(redis.call('LINDEX', window, index))
end

-- How many of the times are not after `moment`; they ascend. Mostly few are, and those in the middle of a long list take
-- long to reach: so steps grow from the oldest on, and then halve.
local function up_to(moment)
  local low, high, step = 0, redis.call('LLEN', window), 1
  while low + step <= high and at(low + step - 1) <= moment do
    low, step = low + step, step * 2
  end
  high = math.min(high, low + step - 1)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if at(middle) <= moment then low = middle + 1 else high = middle end
  end
  return low
end

-- A clock that was put back stands still until it is where it was; after more than a minute the window begins anew.
local latest = at(-1) or now
if latest - MINUTE <= now then
  now = math.max(now, latest)
else
  redis.call('LTRIM', window, 1, 0)
end
redis.call('LTRIM', window, up_to(now - MINUTE), -1)

local counted = redis.call('LLEN', window)
local is_free = counted < limit
if is_free then
  counted = redis.call('RPUSH', window, now)
  redis.call('PEXPIRE', window, KEPT_MILLIS)
end
local leaving = at(math.max(counted - math.max(limit, 1), 0)) or now
return {is_free and 1 or 0, counted, leaving + MINUTE - now, now}
