import { describeInterleavings } from './interleaving-tests.js';

describeInterleavings("Debian's PostgreSQL 15", 4);
