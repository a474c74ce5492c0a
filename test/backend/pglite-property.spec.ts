import { onPglite } from '../support/postgres-database.js';
import { describeProperty } from './conformance/property.js';
import { describeScheduleProperty } from './conformance/property-schedules.js';

const open = onPglite();

describeProperty('pglite', open, { runs: 20, steps: 50 });
describeScheduleProperty('pglite', open, { runs: 20, steps: 50 });
