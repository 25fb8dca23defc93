/** A wrong call of a command. Its message is printed without a stack trace, and the exit code is 2. */
export class UsageError extends Error {}
