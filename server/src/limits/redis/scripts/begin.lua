-- Begins to count on a connection, or goes on: are all requests of the last minute in the windows?
--
-- Where that is not certain, every window counts as full for a minute: after that it is.
-- ARGV[2]  the process of the store that answers
-- ARGV[3]  1 where that process keeps all that it answered, whatever happens to it
local SAME, KEPT, RESTARTED, NEW = 11, 12, 13, 14
local run, keeps = ARGV[2], ARGV[3]

local marked = redis.call('HMGET', marker, 'run', 'keeps', 'opens_at')
local closed_until = now + MINUTE
local verdict, opens_at = NEW, closed_until
if marked[1] == run then
  verdict, opens_at = SAME, tonumber(marked[3]) or closed_until
elseif marked[1] and marked[2] == '1' and keeps == '1' then
  verdict, opens_at = KEPT, tonumber(marked[3]) or closed_until
elseif marked[1] then
  verdict = RESTARTED
end
-- A clock that is put back neither closes windows again nor for more than a minute.
if opens_at <= now then opens_at = 0 end
opens_at = math.min(opens_at, closed_until)
redis.call('HSET', marker, 'run', run, 'keeps', keeps, 'opens_at', opens_at)
return reply(verdict, 0, math.max(opens_at - now, 0))
