-- What every script begins with: the marker, the time, and the form of a reply.
--
-- Times are microseconds by the clock of this store, so that all servers measure with one clock.
-- KEYS[1]  the marker: a hash that is there as long as nothing that was counted is lost. `run` is
--          the process of the store that had it last, `keeps` is 1 where that process keeps all that
--          it answered, `opens_at` is the time before which every window counts as full, `failover` is
--          the number of the latest failover, where sentinels have one
-- ARGV[1]  the number of the question, which its reply repeats
-- reply    the question, a verdict, requests counted, microseconds to wait, the time, and the sum of
--          these: a reply that was garbled or belongs to another question is found out. They are packed,
--          since one text is quicker to read than a list
local MINUTE = 60000000
local marker = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function reply(verdict, counted, wait)
  local question = tonumber(ARGV[1])
  local sum = question + verdict + counted + wait + now
  return struct.pack('>i8i8i8i8i8i8', question, verdict, counted, wait, now, sum)
end
