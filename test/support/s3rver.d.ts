/** The package has no types. */
declare module 's3rver';
