-- Tries out whether this store runs what counting takes, on a window of nobody that is gone at the end.
--
-- A store that is one of several of a cluster refuses both keys together, and one that lets a user run
-- scripts may still refuse what they run: that is found out here, and not by every request.
local TRIED = 31
local window = KEYS[2]

-- First of all, since what is refused halfway is not undone.
redis.call('DEL', window)
redis.call('HMGET', marker, 'run', 'opens_at')
redis.call('RPUSH', window, now)
redis.call('PEXPIRE', window, 1000)
redis.call('LINDEX', window, 0)
redis.call('LLEN', window)
redis.call('PTTL', window)
redis.call('LTRIM', window, 0, -1)
redis.call('DEL', window)
return reply(TRIED, 0, 0)
