export const externalHint = 'or set DATABASE_URL to a PostgreSQL of your own';
export const ownershipHint = `start as the user it belongs to, or give it to yourself with "chown -R", ${externalHint}`;

/** The system's error code, such as ENOENT, or PostgreSQL's SQLSTATE. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
