import type { Cluster, Redis } from 'ioredis';
import { RedisKeys } from '../../lib/backend/redis/redis-keys.js';

/**
 * Makes a queue older by some time: every moment in it moves back, which to the queue is the same as the server's clock
 * moving on. The formats are those at the head of lib/backend/redis/lua/base.lua.
 */
const age = `
local ms = tonumber(ARGV[1])
local function int(n) return string.format('%.0f', n) end
local function back(text) return text == '' and '' or int(tonumber(text) - ms) end
local waiting, step = KEYS[1], 4398046511104
local entries = redis.call('ZRANGE', waiting, 0, -1, 'WITHSCORES')
for i = 1, #entries, 2 do
  local score = tonumber(entries[i + 1])
  local due = math.fmod(score, step)
  redis.call('ZADD', waiting, int(score - due + math.max(due - ms, 0)), entries[i])
end
for _, k in ipairs({ 2, 3, 4, 5, 6, 7, 15 }) do
  local members = redis.call('ZRANGE', KEYS[k], 0, -1, 'WITHSCORES')
  for i = 1, #members, 2 do
    if members[i + 1] ~= 'inf' then
      redis.call('ZADD', KEYS[k], int(tonumber(members[i + 1]) - ms), members[i])
    end
  end
end
local function rewrite(key, change)
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do redis.call('HSET', key, fields[i], change(fields[i + 1], fields[i])) end
end
rewrite(KEYS[9], function(value)
  local flag, prefix, enqueued, expires, header, rest = string.match(value, '^(.)|([^|]*)|([^|]*)|([^|]*)|([^\\30]*)(.*)$')
  local before, slot, params = string.match(rest, '^(\\30[^\\31]*\\31[^\\31]*\\31[^\\31]*\\31)([^\\31]*)(.*)$')
  return flag .. '|' .. prefix .. '|' .. back(enqueued) .. '|' .. back(expires) .. '|' .. header
    .. before .. back(slot) .. params
end)
rewrite(KEYS[10], function(value, id)
  if id == '' then
    local epoch, paused = string.match(value, '^(%d+)|(.*)$')
    return epoch .. '|' .. (paused == 'inf' and paused or back(paused))
  end
  local head, due, middle, finished, runner =
    string.match(value, '^([^|]*|[^|]*|[^|]*|[^|]*|)([^|]*)(|[^|]*|[^|]*|[^|]*|[^|]*|)([^|]*)(|.*)$')
  return head .. back(due) .. middle .. back(finished) .. runner
end)
rewrite(KEYS[11], function(value, field)
  local kind = string.sub(field, -2)
  if kind ~= ':e' and kind ~= ':s' then return value end
  value = string.gsub(value, '"at":(%d+)}', function(at) return '"at":' .. back(at) .. '}' end)
  if kind == ':e' then return value end
  return (string.gsub(value, '{"slot":(%d+)', function(slot) return '{"slot":' .. back(slot) end))
end)
rewrite(KEYS[14], function(value)
  local slot, first, last, counts, declared, rest =
    string.match(value, '^([^|]*)|([^|]*)|([^|]*)|([^|]*|[^|]*|[^|]*)|([^|]*)|(.*)$')
  return back(slot) .. '|' .. back(first) .. '|' .. back(last) .. '|' .. counts .. '|' .. back(declared) .. '|' .. rest
end)
local stats = redis.call('HGETALL', KEYS[16])
redis.call('DEL', KEYS[16])
local spans = { m = { 60000, 60 }, h = { 3600000, 168 } }
for i = 1, #stats, 2 do
  local field, value = stats[i], stats[i + 1]
  local span = spans[string.sub(field, 1, 1)]
  if span then
    local number, counts = string.match(value, '^(%d+)(|.*)$')
    number = math.floor((tonumber(number) * span[1] - ms) / span[1])
    redis.call('HSET', KEYS[16], string.sub(field, 1, 1) .. int(number % span[2]), int(number) .. counts)
  else
    local counts, ran, failed, error =
      string.match(value, '^([^|]*|[^|]*|[^|]*|[^|]*|[^|]*|[^|]*|[^|]*|)([^|]*)|([^|]*)(|.*)$')
    redis.call('HSET', KEYS[16], field, counts .. back(ran) .. '|' .. back(failed) .. error)
  end
end
`;

/** The same for what is known of runners. */
const ageRunners = `
local ms = tonumber(ARGV[1])
local function int(n) return string.format('%.0f', n) end
for i = 2, #ARGV do
  local ends, text = redis.call('ZSCORE', KEYS[2], ARGV[i]), redis.call('HGET', KEYS[1], ARGV[i])
  if ends then redis.call('ZADD', KEYS[2], int(tonumber(ends) - ms), ARGV[i]) end
  if text then
    local started, seen, rest = string.match(text, '^(%d+)|(%d+)(|.*)$')
    redis.call('HSET', KEYS[1], ARGV[i], int(started - ms) .. '|' .. int(seen - ms) .. rest)
  end
end
`;

export async function ageRedisRunners(
  client: Redis | Cluster,
  prefix: string,
  names: readonly string[],
  ms: number,
): Promise<void> {
  const keys = new RedisKeys(prefix).runners;
  await client.eval(ageRunners, keys.length, ...keys, ms, ...names);
}

export async function ageRedisQueue(
  client: Redis | Cluster,
  prefix: string,
  queue: string,
  ms: number,
): Promise<void> {
  const keys = new RedisKeys(prefix).of(queue);
  await client.eval(age, keys.length, ...keys, ms);
}
