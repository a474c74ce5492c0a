export { JobsHealthIndicator } from './jobs-health.indicator.js';
