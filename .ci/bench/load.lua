-- Asks for random paths of a file, each with a random one of a few heads, and says in JSON what came of it.
--
-- wrk ... -- TARGETS_FILE HEADS_FILE SEED; both files have a line each, a head is the value of Authorization or empty.
-- A seed below 0 takes the paths in order instead, each once, so that nothing is asked for twice.

local function lines(name)
   local found = {}
   for line in io.lines(name) do found[#found + 1] = line end
   return found
end

function init(arguments)
   targets, seed = lines(arguments[1]), tonumber(arguments[3])
   in_order, place = seed < 0, 0
   heads = {}
   for _, head in ipairs(lines(arguments[2])) do
      local field = head ~= "" and "Authorization: " .. head .. "\r\n" or ""
      heads[#heads + 1] = " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port .. "\r\n" .. field .. "\r\n"
   end
   math.randomseed(seed)
   count, head_count, random = #targets, #heads, math.random
end

function request()
   if in_order then
      place = place % count + 1
   else
      place = random(count)
   end
   return "GET " .. targets[place] .. heads[random(head_count)]
end

function done(summary, latency, requests)
   local errors = summary.errors
   -- Answers that are no 200 are among the requests; the others came to nothing.
   local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
   io.write(string.format(
      '\n{"answers": %d, "seconds": %.6f, "bytes": %d, "refused": %d, "failed": %d, "median": %.4f, "slow": %.4f}\n',
      summary.requests, summary.duration / 1e6, summary.bytes, errors.status, failed,
      latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
