export { postgresBackend } from './postgres-backend.js';
export type { PostgresBackendOptions } from './postgres-target.js';
