export { redisBackend } from './redis-backend.js';
export type { RedisBackendOptions } from './redis-target.js';
