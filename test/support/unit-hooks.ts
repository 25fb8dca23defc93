// Must be loaded before any test file: classes are declared with decorators.
import fc from 'fast-check';

// A mutant is found by the first failing world; looking for the smallest one would take longer than all other tests.
fc.configureGlobal({ seed: 1, endOnFailure: true });
