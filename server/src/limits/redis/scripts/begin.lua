-- Begins to count on a connection, or goes on: are all requests of the last minute in the windows?
--
-- Where that is not certain, every window counts as full for a minute: after that it is. Where sentinels name the store,
-- it is so for a little longer, in which another server may still have counted in the former master.
-- ARGV[2]  the process of the store that answers
-- ARGV[3]  1 where that process keeps all that it answered, whatever happens to it
-- ARGV[4]  what the server knows of the last minute: `unknown`; `stepped`, the clock of this store was put forward, so
--          that requests have left too early; `empty`, nothing was ever counted. Where anything was, that is not
--          believed and nothing is changed
-- ARGV[5]  the number of the failover that made this store the master; empty where no sentinels say so
-- ARGV[6]  the microseconds in which another server may still count in a former master
local SAME, KEPT, RESTARTED, NEW, STEPPED, FAILED_OVER, MADE, THERE = 11, 12, 13, 14, 15, 16, 21, 22
local run, keeps, last_minute, failover, overlap = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])

local marked = redis.call('HMGET', marker, 'run', 'keeps', 'opens_at', 'failover')
-- A former master that has come back may not know of the failovers since, but of an earlier one.
local former = marked[4] or ''
local is_other = failover ~= '' and former ~= '' and failover ~= former
local closed_until = now + MINUTE + overlap
-- A clock that is put back neither closes windows again nor for longer than that.
local opens_at = math.min(tonumber(marked[3]) or closed_until, closed_until)
if opens_at <= now then opens_at = 0 end

local verdict
if last_minute == 'empty' and (marked[1] or marked[3]) then
  return reply(THERE, 0, math.max(opens_at - now, 0))
elseif last_minute == 'empty' then
  verdict, opens_at = MADE, 0
elseif last_minute == 'stepped' then
  verdict, opens_at = STEPPED, closed_until
elseif is_other then
  verdict, opens_at = FAILED_OVER, closed_until
elseif marked[1] == run then
  verdict = SAME
elseif marked[1] and marked[2] == '1' and keeps == '1' then
  verdict = KEPT
else
  verdict, opens_at = marked[1] and RESTARTED or NEW, closed_until
end
redis.call('HSET', marker, 'run', run, 'keeps', keeps, 'opens_at', opens_at)
if failover ~= '' then redis.call('HSET', marker, 'failover', failover) end
return reply(verdict, 0, math.max(opens_at - now, 0))
