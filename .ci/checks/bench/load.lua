-- Asks for random paths, each with a random one of a few heads, and says in JSON what came of it.
--
-- wrk ... -- TARGETS HEADS_FILE SEED DELAY
--
-- TARGETS is a file of paths, or boats=COUNT for that many boats of the generator. Files have a path or a head in
-- each line; a head is the value of Authorization or empty. A seed below 0 takes the paths in order instead, each once: it
-- fails where there are no more. A client waits DELAY milliseconds on average before it asks.

local function lines(name)
   local found = {}
   for line in io.lines(name) do found[#found + 1] = line end
   return found
end

-- How many paths there are, and a function from 1 to that many to each of them.
local function paths(name)
   local boats = tonumber(name:match("^boats=(%d+)$"))
   if boats then
      -- Made instead of kept: a million of them would lie in cold memory, and a client that waits for that is slower
      -- than one that asks for few boats, and makes the server look slower too. Every fiftieth boat is a draft.
      return boats, function(number) return "/v1/boats/boat-" .. number + math.floor((number - 1) / 49) end
   end
   local found = lines(name)
   return #found, function(number) return found[number] end
end

-- wrk takes a function for a wish to be asked before each request, and to be told of each response.
local function wait_before_requests(milliseconds)
   delay = function() return math.random(0, 2 * milliseconds) end
end

function init(arguments)
   local seed = tonumber(arguments[3])
   in_order, place = seed < 0, 0
   heads = {}
   for _, head in ipairs(lines(arguments[2])) do
      local field = head ~= "" and "Authorization: " .. head .. "\r\n" or ""
      heads[#heads + 1] = " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port .. "\r\n" .. field .. "\r\n"
   end
   math.randomseed(seed)
   count, path = paths(arguments[1])
   if arguments[4] ~= "0" then wait_before_requests(tonumber(arguments[4])) end
   head_count, random = #heads, math.random
end

function request()
   if in_order then
      place = place + 1
      if count < place then
         io.stderr:write("there are only ", count, " different paths\n")
         os.exit(1)
      end
   else
      place = random(count)
   end
   return "GET " .. path(place) .. heads[random(head_count)]
end

function done(summary, latency, requests)
   local errors = summary.errors
   -- Responses that are no 200 are among the requests; what was lost came to nothing.
   io.write(string.format(
      '\n{"answers": %d, "seconds": %.6f, "refused": %d, "lost": %d, "median": %.4f, "slow": %.4f}\n',
      summary.requests, summary.duration / 1e6, errors.status,
      errors.connect + errors.read + errors.write + errors.timeout,
      latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
