import { onPostgres } from '../support/postgres-database.js';
import { describeProperty } from './conformance/property.js';
import { describeScheduleProperty } from './conformance/property-schedules.js';

const open = onPostgres();

describeProperty('postgres', open, { runs: 60, steps: 50 });
describeScheduleProperty('postgres', open, { runs: 60, steps: 50 });
