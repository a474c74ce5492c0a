import { onPostgres } from '../support/postgres-database.js';
import { describeConformance } from './conformance/conformance.js';

describeConformance('postgres', onPostgres());
