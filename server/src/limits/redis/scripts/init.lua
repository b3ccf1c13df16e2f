-- Says that nothing was counted in this store yet, so that it may be counted in at once.
--
-- Where anything was, nothing is changed. The arguments are those of begin.lua.
local MADE, THERE = 21, 22

if redis.call('EXISTS', marker) == 1 then
  local opens_at = tonumber(redis.call('HGET', marker, 'opens_at')) or now + MINUTE
  return reply(THERE, 0, math.min(math.max(opens_at - now, 0), MINUTE))
end
redis.call('HSET', marker, 'run', ARGV[2], 'keeps', ARGV[3], 'opens_at', 0)
return reply(MADE, 0, 0)
