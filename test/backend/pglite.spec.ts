import { onPglite } from '../support/postgres-database.js';
import { describeConformance } from './conformance/conformance.js';

describeConformance('pglite', onPglite());
