// The steps of a store of runs that Redis takes whole. Each checks the lease before it writes.
//
// Under the prefix P: `P run:M` is a hash with a run's record, `P log:M` a stream of its parts with the ids 1-0, 2-0 …,
// `P thread:T` a sorted set of the thread's members M in their order, `P leases` members by the time at which their
// leases run out, `P fence` the last number of a lease. The channel `P part:M` has what happens to a run, `P begun:T` the
// members of a thread's new runs.

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** The arguments of all scripts begin with the prefix and a member. */
const NAMES = `
local prefix, member = ARGV[1], ARGV[2]
local run, log, leases = prefix .. 'run:' .. member, prefix .. 'log:' .. member, prefix .. 'leases'
local channel = prefix .. 'part:' .. member
`;

const CHECK = `
local known = redis.call('HMGET', run, 'fence', 'ended')
if not known[1] then return 'LOST' end
if known[1] ~= ARGV[3] or known[2] then return 'FENCED' end
`;

/** Members of the thread that are under way; those that Redis has dropped leave the set. */
const UNDER_WAY = `
local before = {}
for _, other in ipairs(redis.call('ZRANGE', thread, 0, -1)) do
  local state = redis.call('HMGET', prefix .. 'run:' .. other, 'fence', 'ended')
  if not state[1] then redis.call('ZREM', thread, other)
  elseif not state[2] then before[#before + 1] = other end
end
`;

/** prefix, member, thread's id, id, server, owner ("" for none), about, isAlone, ttl → fence, members before it */
export const BEGIN = `${NAMES}${NOW}
local thread = prefix .. 'thread:' .. ARGV[3]
${UNDER_WAY}
for _, other in ipairs(before) do
  if other == member or ARGV[8] == '1' then return 'BUSY' end
end
local fence = redis.call('INCR', prefix .. 'fence')
redis.call('DEL', run, log)
redis.call('HSET', run, 'fence', fence, 'threadId', ARGV[3], 'id', ARGV[4], 'server', ARGV[5], 'owner', ARGV[6],
  'about', ARGV[7], 'last', 0)
redis.call('ZADD', thread, fence, member)
redis.call('PERSIST', thread)
redis.call('ZADD', leases, now + ARGV[9], member)
redis.call('PUBLISH', prefix .. 'begun:' .. ARGV[3], member)
return { fence, before }
`;

/** prefix, "", server, ttl → fence, members before it, its record; nothing if no lease of the server has run out */
export const CLAIM = `
local prefix = ARGV[1]
local leases = prefix .. 'leases'
${NOW}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
  local run = prefix .. 'run:' .. member
  local server = redis.call('HGET', run, 'server')
  if not server then redis.call('ZREM', leases, member)
  elseif server == ARGV[3] then
    local fence = redis.call('INCR', prefix .. 'fence')
    redis.call('HSET', run, 'fence', fence)
    redis.call('ZADD', leases, now + ARGV[4], member)
    local record = redis.call('HGETALL', run)
    local before = {}
    local thread = prefix .. 'thread:' .. redis.call('HGET', run, 'threadId')
    for _, other in ipairs(redis.call('ZRANGE', thread, 0, -1)) do
      if other == member then break end
      local state = redis.call('HMGET', prefix .. 'run:' .. other, 'fence', 'ended')
      if state[1] and not state[2] then before[#before + 1] = other end
    end
    return { fence, before, record }
  end
end
`;

/** prefix, member, fence, ttl */
export const RENEW = `${NAMES}${NOW}${CHECK}
redis.call('ZADD', leases, now + ARGV[4], member)
return 'OK'
`;

/** prefix, member, fence, parts … */
export const APPEND = `${NAMES}${CHECK}
local last = tonumber(redis.call('HGET', run, 'last'))
for at = 4, #ARGV do
  last = last + 1
  redis.call('XADD', log, last .. '-0', 'p', ARGV[at])
  redis.call('PUBLISH', channel, last .. ' ' .. ARGV[at])
end
redis.call('HSET', run, 'last', last)
return 'OK'
`;

/** prefix, member, fence, about */
export const UPDATE = `${NAMES}${CHECK}
redis.call('HSET', run, 'about', ARGV[4])
return 'OK'
`;

/** prefix, member, fence, about, thread's id, milliseconds that it is kept */
export const END = `${NAMES}${CHECK}
redis.call('HSET', run, 'about', ARGV[4], 'ended', 1)
redis.call('ZREM', leases, member)
redis.call('PEXPIRE', run, ARGV[6])
redis.call('PEXPIRE', log, ARGV[6])
local thread = prefix .. 'thread:' .. ARGV[5]
${UNDER_WAY}
if #before == 0 then redis.call('PEXPIRE', thread, ARGV[6]) end
redis.call('PUBLISH', channel, 'end')
return 'OK'
`;

/** prefix, member */
export const CANCEL = `${NAMES}
local known = redis.call('HMGET', run, 'fence', 'ended', 'stopped')
if known[1] and not known[2] and not known[3] then
  redis.call('HSET', run, 'stopped', 1)
  redis.call('PUBLISH', channel, 'stop')
end
return 'OK'
`;

/** prefix, member, thread's id */
export const REMOVE = `${NAMES}
redis.call('DEL', run, log)
redis.call('ZREM', leases, member)
redis.call('ZREM', prefix .. 'thread:' .. ARGV[3], member)
redis.call('PUBLISH', channel, 'end')
return 'OK'
`;
