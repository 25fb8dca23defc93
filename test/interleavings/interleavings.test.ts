import { describeInterleavings } from './interleaving-tests.js';

describeInterleavings('PostgreSQL 18', 4);
