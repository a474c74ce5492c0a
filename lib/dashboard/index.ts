export { JobsDashboardModule, type JobsDashboardAsyncOptions } from './jobs-dashboard.module.js';
export type {
  Authorized,
  DashboardMount,
  DashboardRequest,
  DashboardSettings,
  JobsDashboardOptions,
  TroubleBounds,
} from './dashboard-options.js';
export type { DashboardRole } from './api/basics.js';
export { openApi, type OpenApiPart } from './openapi/document.js';
