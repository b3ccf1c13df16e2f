-- Counts a request in the minute window of its key family unless that is full, in one atomic step.
--
-- KEYS[2]  the window: the times of the counted requests, oldest first
-- ARGV[2]  the limit
-- ARGV[3]  the time after which nobody waits for the answer any more
local COUNTED, FULL, CLOSED, LATE, LOST = 1, 2, 3, 4, 5
-- How long a window is there at least, and at most, after its last request: longer than a minute,
-- because a key expires by a clock of milliseconds, and not the same, so that it is seldom renewed.
local KEPT_MILLIS, RENEWED_MILLIS = 61000, 122000
local window, limit, deadline = KEYS[2], tonumber(ARGV[2]), tonumber(ARGV[3])

local marked = redis.call('HMGET', marker, 'run', 'opens_at')
local opens_at = tonumber(marked[2])
if not marked[1] or not opens_at then return reply(LOST, 0, 0) end
-- The store was stopped or busy meanwhile: whoever asked was refused long ago.
if deadline < now then return reply(LATE, 0, 0) end
if now < opens_at then return reply(CLOSED, 0, opens_at - now) end

local function at(index)
  return tonumber(redis.call('LINDEX', window, index))
end

-- How many of the times are not after `moment`; they ascend. Mostly few are, and those in the middle
-- of a long list take long to reach: so steps grow from the oldest on, and then halve.
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

local function expire()
  if redis.call('PTTL', window) < KEPT_MILLIS then redis.call('PEXPIRE', window, RENEWED_MILLIS) end
end

-- The clock was put back: what was counted later than now counts as counted now, so that it leaves
-- neither too early nor later than in a minute.
local latest = at(-1)
if latest and now < latest then
  local before = up_to(now)
  local after = redis.call('LLEN', window) - before
  if before == 0 then redis.call('DEL', window) else redis.call('LTRIM', window, 0, before - 1) end
  for _ = 1, after do redis.call('RPUSH', window, now) end
  expire()
end

local oldest = at(0)
if oldest and oldest + MINUTE <= now then
  redis.call('LTRIM', window, up_to(now - MINUTE), -1)
  oldest = at(0)
end

local verdict, counted = FULL, redis.call('LLEN', window)
if counted < limit then
  verdict, counted = COUNTED, redis.call('RPUSH', window, now)
  expire()
end
-- After the limit was lowered more may be counted than it allows: then enough of them have to leave.
local surplus = counted - math.max(limit, 1)
local leaving = 0 < surplus and at(surplus) or oldest or now
return reply(verdict, counted, leaving + MINUTE - now)
